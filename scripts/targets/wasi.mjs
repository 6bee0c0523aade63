// Runs a WebAssembly program with node: `node wasi.mjs program.wasm [arguments]`, what cargo calls a runner. It sees this repository and its own variables only.
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [program, ...rest] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("ICTUS_")));
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env, preopens: { [root]: root }, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
