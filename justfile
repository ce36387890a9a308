# Exactly what must hold before a change is merged.
ready:
    ./.ci/run

# Every test, nothing else.
test:
    ./scripts/test

# Rewrites what is derived from the sources: the C header, the schemas, the npm packages and their types.
derive:
    UPDATE_HEADER=1 cargo test -p mast-ffi --lib
    UPDATE_SCHEMAS=1 cargo test -p mast-core --lib tools::list
    node npm/scripts/sync.mjs

# Licences, advisories and versions of dependencies.
deny:
    cargo deny check
