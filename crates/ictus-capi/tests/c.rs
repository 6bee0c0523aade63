//! From C: the header is up to date, and a C program plays through the static library.

use std::path::{Path, PathBuf};
use std::process::Command;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_file(package().join("cbindgen.toml")).expect("a valid configuration");
    let sources = ["error", "patch", "plan", "event", "player", "meter", "snapshot", "scene", "take"]
        .map(|name| package().join(format!("src/{name}.rs")));
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

/// Compiles a C file with the library, runs it, and expects it to end with OK.
fn plays(source: &Path) {
    if cfg!(not(target_os = "linux")) || Command::new("cc").arg("--version").output().is_err() {
        eprintln!("left out: no C compiler `cc`, or not Linux");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("play");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]);
    compiler.arg("-I").arg(package().join("include")).arg(source).arg(static_library());
    compiler.args(["-lm", "-lpthread", "-ldl", "-o"]).arg(&program);
    let compiled = compiler.output().expect("cc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let played = Command::new(&program).output().expect("the program runs");
    let (said, wrong) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success() && said.ends_with("OK\n"), "{said}{wrong}");
}

#[test]
fn a_c_program_plays() {
    plays(&package().join("examples/play.c"));
}

/// What the page leaves to the reader: the text of the file, the buffers, the end.
#[test]
fn the_c_code_of_the_book_plays() {
    let page = std::fs::read_to_string(package().join("../../docs/book/src/embedding.md")).expect("the page");
    let block = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of C");
    let program = format!(
        r#"
#include "ictus.h"
#include <math.h>
#include <stdio.h>
#define frames 480
static const char *const text = "format = 1\n[[resonator]]\nid = \"bar\"\nkind = \"modes\"\nfrequency_hz = [440.0]\n"
                                "decay_s = 1.0\nmass_kg = 0.1\nports = {{ tip = [1.0] }}\n[[tap]]\nfrom = \"bar.tip\"\n";
static float left[frames], right[frames];
int main(void) {{
{block}
    double loudest = 0.0;
    for (int n = 0; n < frames; n++) loudest = fmax(loudest, fabs(left[n]));
    ictus_player_free(player);
    if (!(loudest > 0.0)) return 1;
    puts("OK");
    return 0;
}}
"#
    );
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("page.c");
    std::fs::write(&source, program).expect("a writable folder");
    plays(&source);
}
