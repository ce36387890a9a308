#!/bin/sh
# Installs the packed packages of this platform in an empty folder and asks them something: try.sh <folder with tarballs>
# For machines that have Node and nothing else; tests/npm does more.
set -eu

packed=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# The registry does not have them yet: the platform package first, and nothing else that main asks for.
npm install --silent --ignore-scripts --no-audit --no-fund --omit=optional "$packed"/spikedpunch-mast-*.tgz

printf 'export function openStore() {}\n' >store.js
printf 'import { openStore } from "./store.js";\n\nopenStore();\n' >main.js
npx --no mast --version
npx --no mast init
npx --no mast search openStore | grep store.js:1
cat >ask.mjs <<'PROGRAM'
import { Mast } from '@spikedpunch/mast'
const mast = await Mast.open({ root: '.' })
const { verified_callers } = await mast.callers({ symbol: 'openStore' })
await mast.close()
if (verified_callers.length !== 1) throw new Error(JSON.stringify(verified_callers))
PROGRAM
node ask.mjs
echo "works on $(node -p 'process.platform + "-" + process.arch')"
