// Owns a visit to the shop: the browser, the served project and the person who started it, for all tests of a file.

import { join } from 'node:path';
import { inject } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { type Browser, type Locator, launchBrowser, type Page } from './browser.ts';
import { beginRun, createProject, Served, Visitor } from './served-project.ts';
import { SHOP } from './shop.ts';

/** The served shop, and Ann, who uses it. */
export interface Visit {
  readonly browser: Browser;
  /** Where the packages of the browser are. */
  readonly modules: string;
  readonly served: Served;
  readonly ann: Visitor;
  readonly close: () => Promise<void>;
}

/** Serves the shop with more files, and opens it in a browser. */
export async function visitShop(files: Readonly<Record<string, string>> = {}): Promise<Visit> {
  const launched = await launchBrowser();
  if ('missing' in launched) throw new Error(`no browser: ${launched.missing}`);
  const { browser, modules } = launched;
  const served = new Served(createProject(tempFolder(), join(inject('bundle'), '..', 'bin', 'pawl.js'), { ...SHOP, ...files }));
  await served.start();
  const ann = await (await Visitor.open(browser)).logIn(await served.loginLink());
  const close = async (): Promise<void> => {
    await served.stop();
    await browser.close();
  };
  return { browser, modules, served, ann, close };
}

/** Starts a run through the API, opens its page, and returns its id. */
export async function startRun(page: Page, workflow: string, params: object = {}): Promise<string> {
  const id = await beginRun(page, workflow, params);
  await page.goto(new URL(`/runs/${id}`, page.url()).href);
  return id;
}

/** Another person, invited and logged in. */
export async function invite({ browser, served }: Pick<Visit, 'browser' | 'served'>, name: string): Promise<Visitor> {
  const printed = await served.command('access', 'invite', name, '--scope', 'view', '--scope', 'operate', '--scope', 'decide');
  const link = /http\S+\/auth\/link\/\S+/.exec(printed)?.[0] ?? '';
  return (await Visitor.open(browser)).logIn(link.replace(/^http:\/\/[^/]+/, served.url));
}

/** The status in the head of a run's page. */
export const status = (page: Page, word: string): Locator => page.locator('.run-head .page-head .status', { hasText: word });

/** A button by its name. */
export const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: typeof name === 'string' });
