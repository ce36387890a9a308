//! Generates the C header into the build directory; a test compares it with the committed one.

use std::env::var;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=cbindgen.toml");
    link_name();

    let root = PathBuf::from(var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(var("OUT_DIR")?);
    cbindgen::Builder::new()
        .with_config(cbindgen::Config::from_file(root.join("cbindgen.toml"))?)
        .with_src(root.join("src/border.rs"))
        .generate()?
        .write_to_file(out.join("mast.h"));
    Ok(())
}

/// Programs must ask the loader for `libmast`, not for the path of the build that they were linked against.
fn link_name() {
    match var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmast.so"),
        Ok("macos") => println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmast.dylib"),
        _ => {}
    }
}
