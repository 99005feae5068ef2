// Owns loading a file of ours together with what V8 made of it the last time. Node keeps only what is compiled before
// anything runs; this keeps what one whole run compiled, which is most of the time of a short command.
//
// The file is not a module but the function that Node would make of one, with `__load` for what it loads by need, in
// plain ASCII, and with a digest in its first line (scripts/bundle.js). What is kept lies beside it, so whoever can
// change that can change the file as well. It belongs to that digest; V8 itself refuses what it did not make.

'use strict';

const { readFileSync, renameSync, rmSync, writeFileSync } = require('fs');
const { dirname, join } = require('path');
const { pathToFileURL } = require('url');
const vm = require('vm');

/** The length of the first line: `//`, a digest in hexadecimal digits, a line end. */
const MARK_LENGTH = 67;

/**
 * What a file exports. With what was kept of an earlier run if that fits, else the file is compiled, and what comes of
 * it is kept when this process ends well and it is worth it.
 *
 * @param {string} file
 * @param {() => boolean} isWorthKeeping
 * @returns {any}
 */
function loadCompiled(file, isWorthKeeping = () => true) {
  const source = readFileSync(file, 'latin1');
  const script = isOff() ? new vm.Script(source, { filename: file }) : compile(file, source, isWorthKeeping);
  const loaded = { exports: {} };
  /** @param {string} name */
  const ask = (name) => process.getBuiltinModule(name) || require('module').createRequire(file)(name);
  /** @param {string} name */
  const load = (name) => import(name.startsWith('./') ? pathToFileURL(join(dirname(file), name)).href : name);
  script.runInThisContext()(loaded.exports, ask, loaded, file, dirname(file), load);
  return loaded.exports;
}

/** As for the cache that Node has itself; and who measures coverage gets it wrong with what was compiled before. */
function isOff() {
  return Boolean(process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_V8_COVERAGE);
}

/**
 * @param {string} file
 * @param {string} source
 * @param {() => boolean} isWorthKeeping
 */
function compile(file, source, isWorthKeeping) {
  const kept = `${file}.v8-${process.versions.v8}`;
  const cachedData = keptFor(source, kept);
  const script = new vm.Script(source, { filename: file, cachedData });
  if (cachedData === undefined || (script.cachedDataRejected && !hasFlags()))
    process.once('exit', (code) => {
      if (code === 0 && isWorthKeeping()) keep(kept, source.slice(0, MARK_LENGTH), script);
    });
  return script;
}

/** V8 refuses what it made under other flags. Who has flags leaves what is there to those who have none. */
function hasFlags() {
  return process.execArgv.length > 0 || Boolean(process.env.NODE_OPTIONS);
}

/**
 * @param {string} source
 * @param {string} file
 */
function keptFor(source, file) {
  try {
    const bytes = readFileSync(file);
    return bytes.toString('latin1', 0, MARK_LENGTH) === source.slice(0, MARK_LENGTH) ? bytes.subarray(MARK_LENGTH) : undefined;
  } catch (_) {
    return undefined;
  }
}

/**
 * Where it cannot be written (a folder of another user, a full disk), the next start is as slow as this one.
 *
 * @param {string} file
 * @param {string} mark
 * @param {vm.Script} script
 */
function keep(file, mark, script) {
  const fresh = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    // On disk before it has its name: V8 looks at the beginning only, and would run what a power cut left of the rest.
    writeFileSync(fresh, Buffer.concat([Buffer.from(mark), script.createCachedData()]), { flush: true });
    renameSync(fresh, file);
  } catch (_) {
    discard(fresh);
  }
}

/** @param {string} file */
function discard(file) {
  try {
    rmSync(file, { force: true });
  } catch (_) {
    // A process that may not write may not remove either.
  }
}

module.exports = { loadCompiled };
