// Owns the browser of the tests: a real Chromium that npm installs, outside of the modules of the project, unpacked once for
// each version, with fonts of its own.

import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPrograms } from '../programs/install.ts';

/** The part of Playwright that the tests use; its types are not installed with the project. */
export interface Browser {
  newContext(options?: Readonly<Record<string, unknown>>): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** A separate profile: cookies, size, colours. */
export interface BrowserContext {
  newPage(): Promise<Page>;
  close(): Promise<void>;
  newCDPSession(page: Page): Promise<{ send(method: string, params?: object): Promise<Record<string, unknown>> }>;
}

/** A page. */
export interface Page extends Finder {
  goto(url: string, options?: object): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  content(): Promise<string>;
  close(): Promise<void>;
  screenshot(options?: object): Promise<Buffer>;
  evaluate<T, A = undefined>(work: string | ((argument: A) => T | Promise<T>), argument?: A): Promise<T>;
  addInitScript(script: string | { content: string }): Promise<void>;
  on(event: string, listener: (argument: never) => void): void;
  setDefaultTimeout(ms: number): void;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  emulateMedia(options: object): Promise<void>;
  waitForURL(url: string | RegExp, options?: object): Promise<void>;
  waitForResponse(url: RegExp): Promise<{ finished(): Promise<unknown> }>;
  waitForEvent(event: 'download'): Promise<Download>;
  waitForFunction(work: string, argument?: unknown, options?: object): Promise<unknown>;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
}

/** A file that the browser saved. */
export interface Download {
  suggestedFilename(): string;
  path(): Promise<string>;
}

/** Finds elements as a person would name them. */
export interface Finder {
  locator(selector: string, options?: object): Locator;
  getByRole(role: string, options?: object): Locator;
  getByText(text: string | RegExp, options?: object): Locator;
  getByLabel(text: string | RegExp, options?: object): Locator;
}

/** Elements of a page. */
export interface Locator extends Finder {
  click(options?: object): Promise<void>;
  fill(text: string): Promise<void>;
  check(): Promise<void>;
  press(key: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  textContent(): Promise<string | null>;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  count(): Promise<number>;
  isVisible(): Promise<boolean>;
  waitFor(options?: object): Promise<void>;
  screenshot(options?: object): Promise<Buffer>;
  focus(): Promise<void>;
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  filter(options: object): Locator;
  evaluate<T>(work: string | ((element: never) => T)): Promise<T>;
}

/** The browser, or why there is none. */
export type Launched = { readonly browser: Browser; readonly modules: string } | { readonly missing: string };

/** Arguments that would make the browser less like the one of a user; a single process dies with its first context. */
const UNLIKE_A_USER = [
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--no-zygote',
];

/** Arguments that emulate a graphics card; painting without one takes half the processor time. */
const GRAPHICS_CARD = /^--(?:ignore-gpu-blocklist|use-gl=|use-angle=|enable-unsafe-swiftshader)/;

/** Starts the browser, which is installed if it is not there. */
export async function launchBrowser(): Promise<Launched> {
  const installed = await installPrograms(import.meta.dirname);
  if ('missing' in installed) return installed;
  const { modules } = installed;
  const home = await prepareHome(modules).catch((thrown: unknown) => ({ missing: String(thrown).slice(0, 800) }));
  if (typeof home !== 'string') return home;
  // The package unpacks into the folder for temporary files and trusts its content; it reads these when it is loaded.
  const before = { ...process.env };
  Object.assign(process.env, {
    TMPDIR: home,
    AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x',
    FONTCONFIG_FILE: join(home, 'fonts.conf'),
    FONTCONFIG_PATH: home,
  });
  try {
    const load = createRequire(join(modules, 'package.json'));
    const chromium = await fromModule<{ args: string[]; executablePath(): Promise<string> }>(load, '@sparticuz/chromium');
    const playwright = load('playwright-core') as { chromium: { launch(options: object): Promise<Browser> } };
    const executablePath = await chromium.executablePath();
    const args = chromium.args.filter((arg) => !UNLIKE_A_USER.includes(arg) && !GRAPHICS_CARD.test(arg));
    const browser = await playwright.chromium.launch({
      executablePath,
      args: [...args, '--disable-gpu'],
      headless: true,
      env: { ...process.env },
    });
    return { browser, modules };
  } catch (thrown) {
    return { missing: String(thrown).slice(0, 800) };
  } finally {
    for (const name of ['TMPDIR', 'AWS_LAMBDA_JS_RUNTIME', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  }
}

async function fromModule<T>(load: NodeJS.Require, name: string): Promise<T> {
  const loaded = (await import(load.resolve(name))) as { default: T };
  return loaded.default;
}

const FONTS = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf'];

/**
 * A folder with the unpacked browser, one per version, with a description of the fonts. It is unpacked in a draft first:
 * several files start browsers at the same time, and one that is still being written cannot be executed.
 */
async function prepareHome(modules: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(modules, '@sparticuz/chromium/package.json'), 'utf8')) as { version: string };
  const home = join(tmpdir(), `pawl-browser-${version}-unpacked`);
  if (existsSync(home)) return home;
  const draft = mkdtempSync(`${home}-`);
  try {
    writeFonts(modules, { folder: draft, home });
    const unpack = "import('@sparticuz/chromium').then((module) => module.default.executablePath())";
    const env = { ...process.env, TMPDIR: draft, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', unpack], { cwd: dirname(modules), env });
    renameSync(draft, home);
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw thrown;
  }
  return home;
}

function writeFonts(modules: string, { folder, home }: { readonly folder: string; readonly home: string }): void {
  mkdirSync(join(folder, 'fonts'));
  // Without a serif among them, every family that a page asks for is the sans or the monospaced one.
  for (const name of FONTS) copyFileSync(join(modules, 'dejavu-fonts-ttf/ttf', name), join(folder, 'fonts', name));
  const folders = `<dir>${join(home, 'fonts')}</dir><cachedir>${join(home, 'font-cache')}</cachedir>`;
  writeFileSync(join(folder, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>`);
}
