// The site of the documentation. scripts/docs.js prepares the pages and the sidebar.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const pages = join(import.meta.dirname, '../pages');

export default {
  title: 'Pawl',
  description: 'A workflow engine for coding agents, people and programs that lets none of them skip a step.',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  lang: 'en',
  // The scripts that make the pages check every link and every anchor; this checks the links once more.
  ignoreDeadLinks: false,
  markdown: { config: keepBraces },
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial/01-first-run' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Commands', link: '/reference/cli' },
      { text: 'Workflow files', link: '/reference/yaml' },
      { text: 'TypeScript', link: '/reference/api/' },
    ],
    sidebar: JSON.parse(readFileSync(join(pages, 'sidebar.json'), 'utf8')),
  },
};

/** Pages are text and never Vue templates: braces stay as they are. A fence may name its file, or say that it is a terminal. */
function keepBraces(md) {
  const render = md.render.bind(md);
  md.render = (source, env) => render(source, env).replaceAll('{{', '&#123;&#123;');
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    const [, language = '', note] = /^(\S+) (.+)$/.exec(token.info.trim()) ?? [undefined, token.info.trim()];
    const isSession = language === 'sh' && /^\$ /m.test(token.content);
    token.info = isSession ? 'shellsession' : language;
    const label = note === 'terminal' ? 'at your terminal' : note;
    const block = fence(tokens, index, ...rest);
    return label === undefined ? block : `<div class="file"><div class="file-name">${md.utils.escapeHtml(label)}</div>${block}</div>`;
  };
}
