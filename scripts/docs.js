// Builds the static site of all documents into docs/site/dist. `npm run docs -- --serve` shows it on this machine.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { root } from './bundle.js';
import { documentsIn, openRepository, sidebarOf, sitePages } from './site-pages.ts';

const site = join(root, 'docs', 'site');
const folder = join(site, 'pages');
const vitepress = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');

const began = Date.now();
const { pages, dead } = sitePages(documentsIn(root), openRepository(root));
for (const { source, link, why } of dead) console.error(`${source}: the link "${link}" leads nowhere: ${why}`);
if (dead.length > 0) process.exit(1);

rmSync(folder, { recursive: true, force: true });
for (const { path, text } of pages) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
cpSync(join(site, 'home.md'), join(folder, 'index.md'));
cpSync(join(root, 'docs', 'images'), join(folder, 'public', 'images'), { recursive: true });
writeFileSync(join(folder, 'sidebar.json'), JSON.stringify(sidebarOf(pages), null, 2));

if (!existsSync(vitepress)) run('npm', ['ci', '--no-audit', '--no-fund']);
run(process.execPath, [vitepress, 'build', '.']);
console.log(`docs: ${pages.length + 1} pages in docs/site/dist, in ${((Date.now() - began) / 1000).toFixed(1)} s`);
if (process.argv.includes('--serve')) serve(join(site, 'dist'));

/**
 * Runs a program in the package of the site, and ends with it if it fails.
 * @param {string} program
 * @param {string[]} words
 */
function run(program, words) {
  const { status, error } = spawnSync(program, words, { cwd: site, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Serves the built site to this machine only, until it is stopped; the server of VitePress listens on every network.
 * @param {string} dist
 */
function serve(dist) {
  /** @type {Record<string, string>} */
  const types = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
  };
  const files = new Set(globSync('**/*.*', { cwd: dist }));
  const server = createServer(({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname).slice(1);
    const file = [path, `${path}.html`, join(path, 'index.html')].find((candidate) => files.has(candidate));
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': types[extname(file ?? '.html')] ?? 'application/octet-stream' });
    response.end(readFileSync(join(dist, file ?? '404.html')));
  });
  server.listen(4173, '127.0.0.1', () => console.log('docs: http://127.0.0.1:4173, until Ctrl-C'));
}
