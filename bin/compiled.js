// Owns loading a file of ours together with what V8 made of it the last time. Node keeps only what is compiled before
// anything runs; this keeps what one whole run compiled, which is most of the time of a short command.
//
// The file is not a module but the function that Node would make of one, with `__load` for what it loads by need, in
// plain ASCII, and with a digest in its first line (scripts/bundle.js). What is kept lies beside it, so whoever can
// change that can change the file as well. It belongs to that digest; V8 itself refuses what it did not make.

'use strict';

const { readFileSync, renameSync, rmSync, writeFileSync } = require('fs');
const { createRequire } = require('module');
const { dirname, join } = require('path');
const { pathToFileURL } = require('url');
const vm = require('vm');

/** The length of the first line: `//`, a digest in hexadecimal digits, a line end. */
const MARK_LENGTH = 67;

/**
 * What a file exports. With what was kept of an earlier run if that fits, else the file is compiled, and what comes of
 * it is kept when this process ends well.
 *
 * @param {string} file
 * @returns {any}
 */
function loadCompiled(file) {
  const source = readFileSync(file, 'latin1');
  const kept = `${file}.v8-${process.versions.v8}`;
  const cachedData = keptFor(source, kept);
  const script = new vm.Script(source, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected) {
    process.on('exit', (code) => {
      if (code === 0) keep(kept, source.slice(0, MARK_LENGTH), script.createCachedData());
    });
  }
  const loaded = { exports: {} };
  /** @param {string} name */
  const load = (name) => import(name.startsWith('./') ? pathToFileURL(join(dirname(file), name)).href : name);
  script.runInThisContext()(loaded.exports, createRequire(file), loaded, file, dirname(file), load);
  return loaded.exports;
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
 * @param {Buffer} data
 */
function keep(file, mark, data) {
  const fresh = `${file}.${process.pid}`;
  try {
    // On disk before it has its name: V8 looks at the beginning only, and would run what a power cut left of the rest.
    writeFileSync(fresh, Buffer.concat([Buffer.from(mark), data]), { flush: true });
    renameSync(fresh, file);
  } catch (_) {
    rmSync(fresh, { force: true });
  }
}

module.exports = { loadCompiled };
