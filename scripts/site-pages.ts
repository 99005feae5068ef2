// Decides which pages the site has, and prepares them: every document, the files of the repository that documents link
// to, and the order in which readers find them. Links that lead nowhere are found here.

import { globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Reads the repository: paths are relative to it, with forward slashes. */
export interface Repository {
  readonly read: (path: string) => string;
  /** What a path is, or undefined if there is nothing. */
  readonly kindOf: (path: string) => 'file' | 'folder' | undefined;
  /** The files below a folder. */
  readonly filesIn: (folder: string) => readonly string[];
}

/** The repository in a folder. */
export function openRepository(root: string): Repository {
  const isFile = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return {
    read: (path) => readFileSync(join(root, path), 'utf8'),
    kindOf: (path) => (isFile(path) ? 'file' : statSync(join(root, path), { throwIfNoEntry: false }) && 'folder'),
    filesIn: (folder) =>
      globSync([`${folder}/**/*`, `${folder}/**/.*/**/*`], { cwd: root })
        .filter(isFile)
        .sort(),
  };
}

/** The documents of a repository: all pages of docs, and those outside that readers look for. */
export function documentsIn(root: string): string[] {
  const found = globSync('docs/**/*.md', { cwd: root, exclude: ['docs/site/**'] });
  return [...found, 'CHANGELOG.md', 'AGENTS.md', 'examples/README.md'].sort();
}

/** A page of the site: where it is in the site, and its text. */
export interface SitePage {
  readonly path: string;
  readonly source: string;
  readonly title: string;
  readonly text: string;
}

/** A link that leads nowhere. */
export interface DeadLink {
  readonly source: string;
  readonly link: string;
  readonly why: string;
}

/** The whole site. */
export interface Site {
  readonly pages: readonly SitePage[];
  readonly dead: readonly DeadLink[];
}

const LINK = /(!?\[(?:[^[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)/g;

/** Prepares the documents, and the files that they link to. */
export function sitePages(documents: readonly string[], repository: Repository): Site {
  const queue = [...documents];
  const known = new Set(queue);
  const pages: SitePage[] = [];
  const dead: DeadLink[] = [];
  // The list grows during the loop.
  for (const source of queue) {
    const markdown = isDocument(source) ? repository.read(source) : listing(source, repository);
    const follow = (link: string): string => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? source : posix.join(posix.dirname(source), path).replace(/\/$/, '');
      const found = resolve(target, repository);
      if (found === undefined) {
        dead.push({ source, link, why: `there is no ${target}` });
        return link;
      }
      if (anchor !== undefined && isDocument(found) && !anchorsIn(repository.read(found)).has(anchor))
        dead.push({ source, link, why: `${found} has no heading #${anchor}` });
      if (isPicture(found)) return `/${found.replace(/^docs\//, '')}`;
      if (!known.has(found)) queue.push(found);
      known.add(found);
      return `/${pathOf(found)}${anchor === undefined ? '' : `#${anchor}`}`;
    };
    pages.push({ path: pathOf(source), source, title: titleOf(markdown), text: rewriteLinks(markdown, follow) });
  }
  return { pages, dead };
}

/** What agents of the examples wrote is shown as it is: it may have anything in it. */
function isDocument(path: string): boolean {
  return path.endsWith('.md') && (!path.startsWith('examples/skills/') || path.endsWith('/README.md'));
}

function isPicture(path: string): boolean {
  return /\.(svg|png)$/.test(path);
}

/** What a link means: a folder is its README, if it has one. */
function resolve(target: string, { kindOf }: Repository): string | undefined {
  const kind = kindOf(target);
  if (kind !== 'folder') return kind === undefined ? undefined : target;
  return kindOf(`${target}/README.md`) === 'file' ? `${target}/README.md` : target;
}

/** Where the page of a file is in the site. */
function pathOf(source: string): string {
  if (source === 'docs/README.md') return 'overview.md';
  if (!isDocument(source)) return source.endsWith('.md') ? `files/${source}` : `files/${source}.md`;
  const path = source.startsWith('docs/') ? source.slice('docs/'.length) : source;
  return path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/^index\.md$/, 'readme.md');
}

function rewriteLinks(markdown: string, follow: (link: string) => string): string {
  const relink = (text: string): string =>
    text
      .replace(LINK, (whole, label: string, link: string) => (/^[a-z]+:/.test(link) ? whole : `${label}(${follow(link)})`))
      .replace(/(?<=<img[^>]* src=")[^"]+/g, follow);
  // A label may have code in it, so only fences are left out here.
  return markdown
    .split(/(^```[\s\S]*?^```[^\S\n]*$)/m)
    .map((piece, index) => (index % 2 === 1 ? piece : relink(piece)))
    .join('');
}

/** The first heading of a page, as plain text. */
function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? 'Untitled').replaceAll('`', '');
}

/** The anchors that the headings of a page have. */
export function anchorsIn(markdown: string): Set<string> {
  const prose = markdown.replace(/^```[\s\S]*?^```[^\S\n]*$/gm, '');
  return new Set(anchorsOf([...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)));
}

/** The anchor of each heading, numbered where two would be the same. */
export function anchorsOf(headings: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return headings.map((heading) => {
    const plain = heading
      .toLowerCase()
      .replace(/\]\([^)]*\)/g, '')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  });
}

const LANGUAGES: Readonly<Record<string, string>> = { mjs: 'js', txt: 'text', log: 'text' };

/** A page that shows a file of the repository, or all files of a folder. */
function listing(path: string, { kindOf, filesIn, read }: Repository): string {
  const files = kindOf(path) === 'folder' ? filesIn(path) : [path];
  const shown = files.map((file) => {
    const [, extension = 'text'] = /\.(\w+)$/.exec(file) ?? [];
    const name = file === path ? '' : ` ${file.slice(path.length + 1)}`;
    return `\`\`\`\`${LANGUAGES[extension] ?? extension}${name}\n${read(file).trimEnd()}\n\`\`\`\`\n`;
  });
  return `---\nsearch: false\n---\n\n# ${path}\n\n${shown.join('\n')}`;
}

/** A part of the sidebar. */
export interface SidebarPart {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const PARTS: readonly { readonly text: string; readonly matches: RegExp; readonly collapsed?: boolean }[] = [
  { text: 'Start', matches: /^(overview|concepts)\.md$|^tutorial\// },
  { text: 'Recipes', matches: /^recipes\// },
  { text: 'Guides', matches: /^guides\// },
  { text: 'Skills', matches: /^skills(\/|\.md$)/ },
  { text: 'Reference', matches: /^reference\/[^/]+$|^(errors|glossary)\.md$/ },
  { text: 'TypeScript API', matches: /^reference\/api\// },
  { text: 'The project', matches: /^(features|performance|changelog|agents|readme|examples\/index)\.md$/i, collapsed: true },
  { text: 'Internals', matches: /^internals\//, collapsed: true },
];

/**
 * The sidebar: every document has its place, and a folder begins with its overview. Other pages of `docs` come last. What the
 * agents of examples wrote is only reached by links.
 */
export function sidebarOf(pages: readonly SitePage[]): SidebarPart[] {
  const documents = pages.filter(({ path }) => !/^(files|examples\/skills)\//.test(path));
  const order = (path: string): string =>
    path
      .replace(/(^|\/)index\.md$/, '$1')
      .replace(/^overview\.md$/, '')
      .replace(/\/api\/pawl/, '/api/ pawl')
      .replace(/\.md$/, '');
  const parts = PARTS.map(({ text, matches, collapsed }) => ({
    text,
    collapsed,
    pages: documents.filter(({ path }) => matches.test(path)),
  }));
  const rest = documents.filter(({ path }) => !PARTS.some(({ matches }) => matches.test(path)));
  return [...parts, { text: 'More', collapsed: true, pages: rest }]
    .filter((part) => part.pages.length > 0)
    .map(({ text, collapsed, pages: listed }) => ({
      text,
      ...(collapsed === undefined ? {} : { collapsed }),
      items: [...listed]
        .sort((a, b) => (order(a.path) < order(b.path) ? -1 : 1))
        .map(({ title, path }) => ({
          text: /^(recipes|reference\/api)\/index\.md$/.test(path) ? 'Overview' : title,
          link: `/${path.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`,
        })),
    }));
}
