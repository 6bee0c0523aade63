//! From C: the header is up to date, and a C program plays through the static library.

use std::path::{Path, PathBuf};
use std::process::Command;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_file(package().join("cbindgen.toml")).expect("a valid configuration");
    let sources = ["error", "patch", "plan", "event", "player"].map(|name| package().join(format!("src/{name}.rs")));
    let builder = sources.iter().fold(cbindgen::Builder::new().with_config(config), cbindgen::Builder::with_src);
    let mut made = Vec::new();
    builder.generate().expect("the sources parse").write(&mut made);
    let made = String::from_utf8(made).expect("UTF-8");
    let path = package().join("include/ictus.h");
    if std::env::var_os("ICTUS_BLESS").is_some() {
        std::fs::write(&path, &made).expect("the header can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(kept == made, "include/ictus.h is not what the sources give; ICTUS_BLESS=1 writes it");
}

/// The static library of this build: beside the test program, or made now.
fn static_library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let deps = test.parent().expect("a folder");
    let folder = deps.parent().expect("a folder");
    let candidates = [deps.join("libictus_capi.a"), folder.join("libictus_capi.a")];
    if let Some(found) = candidates.iter().find(|path| path.exists()) {
        return found.clone();
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "ictus-capi", "--profile"]);
    // the folder of a profile has its name, but for that of `dev`
    let profile = folder.file_name().and_then(|name| name.to_str()).expect("a profile");
    cargo.arg(if profile == "debug" { "dev" } else { profile });
    cargo.arg("--target-dir").arg(folder.parent().expect("a target folder")).current_dir(package());
    assert!(cargo.status().expect("cargo runs").success(), "the library builds");
    candidates[1].clone()
}

#[test]
fn a_c_program_plays() {
    if cfg!(not(target_os = "linux")) || Command::new("cc").arg("--version").output().is_err() {
        eprintln!("left out: no C compiler `cc`, or not Linux");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("play");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]);
    compiler.arg("-I").arg(package().join("include")).arg(package().join("examples/play.c")).arg(static_library());
    compiler.args(["-lm", "-lpthread", "-ldl", "-o"]).arg(&program);
    let compiled = compiler.output().expect("cc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let played = Command::new(&program).output().expect("the program runs");
    let (said, wrong) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success() && said.ends_with("OK\n"), "{said}{wrong}");
}
