// The process that P4 kills and starts again. With `run` it does its steps and hangs in the last one; with `resume` it
// prints the time from its first line to that step. It is JavaScript, so that stripping types is not measured.

const begin = performance.now();
const [file = '', count = '0', mode = 'run'] = process.argv.slice(2);
// The built library, because that is what users load.
const built = new URL('../dist/index.mjs', import.meta.url).href;
/** @type {typeof import('../src/index.ts')} */
const { createEngine, defineWorkflow } = await import(built);
const steps = Number(count);
const loaded = performance.now();

/** @returns {Promise<void>} */
function last() {
  process.stdout.write(mode === 'run' ? 'hanging\n' : `resumed ${performance.now() - begin} loaded ${loaded - begin}\n`);
  return new Promise(() => setInterval(() => undefined, 60_000));
}

// Few steps and a long history: the time of a resumption is measured, not that of compiling a large definition.
const workflow = defineWorkflow({
  name: 'resumed',
  limits: { maxIterations: steps },
  steps: {
    work: {
      recovery: 'rerun',
      handler: (ctx) => ({ n: Number(ctx.checkpoint.n ?? 0) + 1 }),
      next: { condition: `result.n >= ${steps}`, onTrue: 'last', onFalse: 'work', maxIterations: steps },
    },
    last: { recovery: 'rerun', handler: last, next: null },
  },
});
const engine = await createEngine({ db: file, workflows: [workflow], synchronous: 'NORMAL' });
if (mode === 'resume') await engine.recover();
else await engine.start(workflow);
