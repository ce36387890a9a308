//! Node addon build script.
fn main() {
    napi_build::setup();
}
