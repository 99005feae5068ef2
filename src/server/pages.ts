// Owns the health probes and the pages of the dashboard. Every path without another route is a page of the app, which has its
// own router. Browsers cache files with a hash in their name forever and revalidate all others. Only files inside the folder
// are served, and links are not followed. Responses are compressed if the client accepts it: the files are the same for
// everyone and contain no secret, so their compressed length reveals nothing.

import { type Dirent, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { health } from './contract/project.ts';
import { handle, type Route } from './route.ts';
import type { ServerPart } from './services.ts';

const ROUTES = {
  alive: { method: 'GET', path: '/healthz', scope: 'public', summary: 'whether the process answers', answer: health },
  ready: { method: 'GET', path: '/readyz', scope: 'public', summary: 'whether its database answers', answer: health },
  // The code of the dashboard is public; the data that it shows is not.
  asset: { method: 'GET', path: '/assets/*', scope: 'public', summary: 'code of the dashboard', content: 'text/javascript' },
  page: { method: 'GET', path: '/*', scope: 'view', summary: 'a page of the dashboard', content: 'text/html' },
} as const satisfies Record<string, Route>;

/** Paths that are not pages, so that a wrong one is an error instead of the app. */
const NO_PAGE = /^\/(?:api|auth|hooks|d|assets|metrics)(?:\/|$)/;

/** The pages. */
export const PAGES: ServerPart = {
  name: 'pages',
  routes: Object.values(ROUTES),
  mount: (app, services) => {
    const target = { app, repeats: services.repeats };
    const files = new PageFiles(services.pages);
    handle(target, ROUTES.alive, async () => ({ status: 'ok' }) as const);
    handle(target, ROUTES.ready, async () => {
      await services.store.nextDue();
      return { status: 'ok' } as const;
    });
    handle(target, ROUTES.asset, async ({ c }) => (await files.response(c.req.path, c.req.header('accept-encoding'))) ?? c.notFound());
    handle(target, ROUTES.page, async ({ c }) => {
      if (NO_PAGE.test(c.req.path)) return c.notFound();
      const accepted = c.req.header('accept-encoding');
      return (await files.response(c.req.path, accepted)) ?? (await files.response('/index.html', accepted)) ?? NOT_BUILT();
    });
  },
};

const NOT_BUILT = (): Response =>
  new Response('The dashboard is not built here. The API is at /api/v1; /api/v1/openapi.json describes it.\n', {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });

const compress = promisify(gzip);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
const CACHE_FOREVER = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';
const COMPRESSIBLE = /^text\/|json|svg/;
/** Not `gzip;q=0`, which excludes it. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:[,\s]|$))/i;
/** A name from Vite, which has a hash of the content. */
const HASHED = /[-.][A-Za-z0-9_-]{8,}\.\w+$/;

/** The files of a folder. */
export class PageFiles {
  private readonly folder: string | undefined;
  private names: ReadonlySet<string> | undefined;
  /** Compressed once: together they are a quarter of a megabyte. */
  private readonly compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(folder: string | undefined) {
    this.folder = folder;
  }

  /** The response for a path; undefined if there is no such file. */
  async response(path: string, accepted = ''): Promise<Response | undefined> {
    const name = path.replace(/^\//, '');
    if (this.folder === undefined || !this.fileNames().has(name)) return undefined;
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    const isHashed = name.startsWith('assets/') && HASHED.test(name);
    const headers = { 'content-type': type, 'cache-control': isHashed ? CACHE_FOREVER : REVALIDATE, vary: 'accept-encoding' };
    if (!COMPRESSIBLE.test(type) || !GZIP.test(accepted)) return new Response(this.read(name), { headers });
    let body = this.compressed.get(name);
    if (body === undefined) {
      body = compress(this.read(name)).then((zipped) => new Uint8Array(zipped));
      this.compressed.set(name, body);
    }
    return new Response(await body, { headers: { ...headers, 'content-encoding': 'gzip' } });
  }

  private read(name: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(readFileSync(join(this.folder ?? '', name)));
  }

  /** The paths of all files, relative to the folder; read once, since an installed package does not change. */
  private fileNames(): ReadonlySet<string> {
    this.names ??= new Set(this.folder === undefined ? [] : filesIn(this.folder));
    return this.names;
  }
}

function filesIn(folder: string): string[] {
  let found: readonly Dirent[];
  try {
    found = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    // A checkout whose dashboard is not built yet.
    return [];
  }
  // Listing follows links to folders.
  const isInside = (parent: string): boolean => realpathSync(parent) === join(realpathSync(folder), relative(folder, parent));
  return found
    .filter((entry) => entry.isFile() && isInside(entry.parentPath))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
}
