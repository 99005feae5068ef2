// Loads a file of the bundle with the code that V8 compiled in an earlier process: without it, compiling is a third of
// what a small program waits for (docs/internals/cli.md). Node has its own cache, but it applies to all modules of a
// process, which a library must not decide for the program that imports it, and it keeps only what is compiled before a
// module is executed.
//
// V8 executes whatever it is given, so a cache begins with a digest of itself and of its source. One that is missing,
// damaged or for another Node is replaced; one that cannot be written makes the next start slower, nothing else. A file that
// is loaded like this cannot call `import()`, which Node offers to such code only as an experiment.

import type { Script } from 'node:vm';

/** Looked up when they are used, since an old Node, which lacks some of what they export, gets a sentence instead. */
const node = {
  crypto: () => process.getBuiltinModule('node:crypto'),
  fs: () => process.getBuiltinModule('node:fs'),
  module: () => process.getBuiltinModule('node:module'),
  path: () => process.getBuiltinModule('node:path'),
  vm: () => process.getBuiltinModule('node:vm'),
};

const DIGEST_BYTES = 32;

/** What `require` returns for a file of the bundle, which is loaded once even if both are used. */
export function requireCompiled(file: string): unknown {
  const Module = node.module();
  const { dirname } = node.path();
  const require = Module.createRequire(file);
  const folder = cacheFolder(process.env);
  if (require.cache[file] !== undefined || folder === undefined) return require(file);
  const module = new Module(file);
  require.cache[file] = module;
  compile(file, folder).runInThisContext()(module.exports, require, module, file, dirname(file));
  module.loaded = true;
  return module.exports;
}

function compile(file: string, folder: string): Script {
  const { basename, join } = node.path();
  const { Script } = node.vm();
  const source = node.fs().readFileSync(file);
  const digest = node.crypto().hash('sha256', source);
  const cache = join(folder, `${basename(file)}-${digest.slice(0, 16)}-${process.version}-${process.arch}`);
  const cachedData = readCache(cache, digest);
  // A bundle is plain ASCII.
  const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source.toString('latin1')}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  // At the end of the process, when the functions that it called are compiled too.
  if (script.cachedDataRejected !== false) process.once('exit', () => writeCache(cache, digest, script));
  return script;
}

/** The folder for caches, which belongs to the user: others may write to the one for temporary files. */
function cacheFolder(env: NodeJS.ProcessEnv): string | undefined {
  const { isAbsolute, join } = node.path();
  // Coverage of such code is less exact, and Node reads source maps only of modules that it compiles itself.
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE || process.sourceMapsEnabled) return undefined;
  const folders = [env.NODE_COMPILE_CACHE, env.XDG_CACHE_HOME, env.HOME && join(env.HOME, '.cache'), env.LOCALAPPDATA];
  const folder = folders.find((each) => each !== undefined && isAbsolute(each));
  return folder === undefined ? undefined : join(folder, 'pawl', 'compiled');
}

function readCache(cache: string, digest: string): Buffer | undefined {
  try {
    const content = node.fs().readFileSync(cache);
    const data = content.subarray(DIGEST_BYTES);
    return content.subarray(0, DIGEST_BYTES).equals(sealOf(digest, data)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(cache: string, digest: string, script: Script): void {
  const { mkdirSync, renameSync, writeFileSync } = node.fs();
  const draft = `${cache}.${process.pid}`;
  try {
    const data = script.createCachedData();
    mkdirSync(node.path().dirname(cache), { recursive: true, mode: 0o700 });
    writeFileSync(draft, Buffer.concat([sealOf(digest, data), data]), { mode: 0o600 });
    renameSync(draft, cache);
  } catch {
    // The folder cannot be written.
  }
}

function sealOf(digest: string, data: Buffer): Buffer {
  const { hash } = node.crypto();
  return hash('sha256', digest + hash('sha256', data), 'buffer');
}
