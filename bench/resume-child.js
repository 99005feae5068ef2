// The process that P4 kills and starts again. `run` works through its steps and then hangs in the last one; `resume`
// prints how long it took from its first line to that step. It is JavaScript, so that reading TypeScript is not measured.

const begin = performance.now();
const [file = '', count = '0', mode = 'run'] = process.argv.slice(2);
// The library as it is published: what is measured is what users wait for.
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

// Few steps and a long history: what is measured is coming back, not compiling a large definition.
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
