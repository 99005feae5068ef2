// Builds the dashboard with Vite: the files that `pawl serve` gives to a browser, and the licences of what is in them.

import { join } from 'node:path';
import { build } from 'vite';
import { root } from './bundle.js';
import { writeLicences } from './licences.js';

const DASHBOARD = join(root, 'dashboard');
const QUIET = ['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS'];
/** Is in the file of a worker, which the build does not describe. */
const IN_WORKER = 'node_modules/@dagrejs/dagre';

/**
 * Writes the dashboard to a folder, in place of what was there. Returns the files with code, and which of them each loads.
 * @param {string} [folder]
 */
export async function buildDashboard(folder = join(DASHBOARD, 'dist')) {
  const built = await build({
    configFile: false,
    root: DASHBOARD,
    logLevel: 'warn',
    // Whatever the environment says: React is twice as large while it is developed.
    resolve: { conditions: ['module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      // The server's policy allows no data: address for scripts and styles, and no script in the page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Nearly every page has these: as files of their own they are larger together, and a request each.
        output: { codeSplitting: { groups: [{ name: 'parts', test: /dashboard\/src\/(?:parts\/|text\/(?:time|plain-text))/ }] } },
        // Not worth a word: that React code is meant for a browser, and how long the build took.
        onLog: (level, log, handle) => {
          if (!QUIET.includes(log.code ?? '')) handle(level, log);
        },
      },
    },
    worker: { format: 'es' },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((each) => ('output' in each ? each.output : []));
  const chunks = outputs.flatMap((each) => (each.type === 'chunk' ? [each] : []));
  const files = chunks.flatMap(({ modules }) => Object.keys(modules));
  const packages = new Set([IN_WORKER, ...files.flatMap((file) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])]);
  writeLicences(root, [...packages].sort(), join(folder, 'THIRD-PARTY-LICENSES'));
  return chunks.map(({ fileName, imports, facadeModuleId, isEntry }) => ({ fileName, imports, isEntry, source: facadeModuleId ?? '' }));
}

if (import.meta.main) await buildDashboard();
