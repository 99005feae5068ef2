// Owns the routes for deciding by a link, and for signing a decision with a passkey. A GET only shows the page: a bot that
// previews the link, or a browser that prefetches it, decides nothing.
//
// AC5. A decision by link counts for exactly the content that its form names, once, in the name of its person.

import { rightOf } from '../../../authority/right.ts';
import type { Statement } from '../../../authority/statement.ts';
import { EngineError, isEngineError, messageOf } from '../../../base/error.ts';
import { omitUndefined } from '../../../base/fields.ts';
import { isSamePerson } from '../../../base/person.ts';
import { changeSince, decisionOn } from '../../../control/approval-change.ts';
import { findApproval } from '../../../control/decision.ts';
import { readApprovalDiff } from '../../../control/run/diff.ts';
import { withoutVisits } from '../../../definition/address.ts';
import { isAsShown, type OpenApproval } from '../../../engine/request/approvals.ts';
import { decisionStatement } from '../../../engine/signature/signatures.ts';
import { recheckSubjects } from '../../recheck-subjects.ts';
import { handle, type Route, type ServerApp, type ServerContext } from '../../route.ts';
import type { Services } from '../../services.ts';
import { type Access, accessOf, addressOf, callerOf, loginAttempt } from '../access.ts';
import { recordAct } from '../audit.ts';
import { type Page, readForm, respondWithPage } from '../auth-routes.ts';
import { answers, bodies } from '../contract.ts';
import { type AccessLink, redeemLink, restoreLink, usableLink } from '../links.ts';
import { signatureOf, signingOptions } from '../passkeys.ts';
import { requirePerson } from '../people.ts';
import { assertManages } from '../people-routes.ts';
import { createDecideLink, type LinkedApproval, linkedApproval } from './link.ts';
import { closedPage, decidedPage, decidePage } from './page.ts';

/** The routes of decisions by link and by passkey. */
export const DECIDE = {
  page: { method: 'GET', path: '/d/:secret', scope: 'public', summary: 'the page of one decision', content: 'text/html' },
  decide: { method: 'POST', path: '/d/:secret', scope: 'public', summary: 'decides by link', content: 'text/html' },
  sign: {
    ...{ method: 'POST', path: '/d/:secret/sign', scope: 'public', summary: 'a challenge to sign a decision by link' },
    ...{ body: bodies.toSignByLink, answer: answers.options },
  },
  createLink: {
    ...{
      method: 'POST',
      path: '/api/v1/links',
      scope: 'decide',
      summary: 'a link with which one person decides one approval',
      status: 201,
    },
    ...{ body: bodies.decideLink, answer: answers.link },
  },
  signingOptions: {
    ...{ method: 'POST', path: '/api/v1/signatures/options', scope: 'decide', summary: 'a challenge to sign a decision with a passkey' },
    ...{ body: bodies.toSign, answer: answers.options },
  },
  signature: {
    ...{ method: 'POST', path: '/api/v1/signatures', scope: 'decide', summary: 'the signature in the answer of a passkey, for a decision' },
    ...{ body: bodies.passkeyLogin, answer: answers.signature },
  },
} as const satisfies Readonly<Record<string, Route>>;

/** Mounts deciding by link and signing. */
export function mountDecide(app: ServerApp, services: Services): void {
  const access = accessOf(services);
  const target = { app, repeats: services.repeats };
  handle(target, DECIDE.page, async ({ c, param }) =>
    respondWithPage(c, async () => {
      const opened = { link: await requireLink(access, c, param('secret')), secret: param('secret') };
      return approvalPage(access, opened, { isPreview: isPreview(c) });
    }),
  );
  handle(target, DECIDE.decide, async ({ c, param }) => respondWithPage(c, () => decideByForm(access, c, param('secret'))));
  handle(target, DECIDE.sign, async ({ c, param, body: { digest, option, input } }) => {
    const link = await requireLink(access, c, param('secret'));
    const { run, path } = linkedApproval(link.about);
    const approval = await approvalAt(access, { run, path });
    if (approval?.digest !== digest)
      throw new EngineError('CONTENT_CHANGED', 'the content changed since you were asked; load the page again');
    const statement = statementFor({ run, approval, option, input: inputOf(input), actor: link.person });
    return { options: { ...(await signingOptions(access, link.person, statement)) } };
  });
  handle(target, DECIDE.createLink, async ({ caller, body: { run, approval, for: person, expires }, note }) => {
    note({ action: 'decide link', run, step: approval, choice: `for ${person}` });
    rightOf(caller, { demand: 'decide', on: 'access link', withoutToken: true });
    // The creator of a link sees it, and could decide in the name of its person.
    if (!isSamePerson(person, caller.name)) assertManages(access, caller, 'link');
    const linkServices = { access, store: services.store, addresses: access.addresses() };
    const { url, expiresAt, person: name } = await createDecideLink(linkServices, { run, approval, person, by: caller.name, expires });
    return { person: name, url, expiresAt };
  });
  handle(target, DECIDE.signingOptions, async ({ caller, body: { run, approval, digest, option, input } }) => {
    const asked = await findApproval(services.store, run, { approval, digest });
    const statement = statementFor({ run: asked.run, approval: asked.approval, option, input, actor: caller.name });
    return { options: { ...(await signingOptions(access, caller.name, statement)) } };
  });
  handle(target, DECIDE.signature, async ({ caller, body: { response } }) => ({
    signature: signatureOf(access, caller.name, response as never),
  }));
}

/** The link, if it can be used. An unknown one counts as a failed login. */
function requireLink(access: Access, c: ServerContext, secret: string): Promise<AccessLink> {
  return loginAttempt(access, c, () => usableLink(access, secret, ['decide']));
}

interface SigningRequest {
  readonly run: string;
  readonly approval: OpenApproval;
  readonly option: string;
  readonly input: string | undefined;
  readonly actor: string;
}

/** The statement to sign; throws if the content does not match its digest. */
function statementFor({ run, approval, option, input, actor }: SigningRequest): Statement {
  if (!isAsShown(approval))
    throw new EngineError(
      'RUN_DAMAGED',
      `the content of approval "${approval.step}" of run ${run} does not match its digest, so it cannot be signed; "pawl db check" checks the database`,
      { details: { run, approval: approval.path } },
    );
  return decisionStatement({ run, path: approval.path, digest: approval.digest, option, input, actor });
}

/** The approval; undefined if it no longer waits. */
async function approvalAt({ services }: Access, { run, path }: Pick<LinkedApproval, 'run' | 'path'>): Promise<OpenApproval | undefined> {
  const approvals = await services.engine.run(run).approvals();
  return approvals.find((approval) => approval.path === path);
}

/** The approval after checking its subjects again; if that is not possible, as it was requested. */
async function freshApprovalAt(access: Access, at: Pick<LinkedApproval, 'run' | 'path'>): Promise<OpenApproval | undefined> {
  try {
    await recheckSubjects(access.services, at.run);
  } catch (error) {
    if (!isEngineError(error)) throw error;
  }
  return approvalAt(access, at);
}

/** Programs that fetch links in messages to show a preview. */
const PREVIEWER = /bot\b|bot\/|crawler|spider|preview|externalhit|whatsapp|slack|telegram|discord|skype|mattermost|embedly|unfurl/i;

/** Whether a program fetches the page for a preview. The subjects are not checked again for that. */
function isPreview({ req }: ServerContext): boolean {
  const purpose = `${req.header('purpose') ?? ''} ${req.header('sec-purpose') ?? ''}`;
  if (req.method === 'HEAD' || /prefetch|preview/i.test(purpose)) return true;
  // A browser sends this header when it opens a page, even the browser inside a chat program.
  return req.header('sec-fetch-dest') !== 'document' && PREVIEWER.test(req.header('user-agent') ?? '');
}

/** The maximum size of the diff on the page. */
const DIFF_BYTES = 128 * 1024;

/** A link, and the secret that it was opened with. */
interface OpenedLink {
  readonly link: AccessLink;
  readonly secret: string;
}

/** The page of the approval, with the changes since the digest that the person saw. */
async function approvalPage(
  access: Access,
  { link, secret }: OpenedLink,
  last: { readonly digest?: string; readonly problem?: string; readonly isPreview?: boolean } = {},
): Promise<Page> {
  const { store } = access.services;
  const { run, path, digest } = linkedApproval(link.about);
  const approval = last.isPreview === true ? await approvalAt(access, { run, path }) : await freshApprovalAt(access, { run, path });
  const step = withoutVisits(path);
  if (approval === undefined) return closedPage({ run, step, decided: await decisionOn(store, run, { approval: path }) });
  const seen = last.digest ?? digest;
  const change = seen === approval.digest ? undefined : await changeSince(store, run, { approval, digest: seen });
  const { workflow } = (await store.load(run)).state;
  const diff = await readApprovalDiff(access.services.engine, run, DIFF_BYTES).catch((error: unknown) => ({
    problem: access.services.paths.message(messageOf(error as Error)),
  }));
  const asked = { run, workflow, approval, diff, person: link.person, expiresAt: link.expiresAt, action: `/d/${secret}` };
  return decidePage({ ...asked, ...omitUndefined({ change, problem: last.problem }) });
}

/** Decides as the form says, or shows what changed since (AC5). */
async function decideByForm(access: Access, c: ServerContext, secret: string): Promise<Page> {
  const link = await requireLink(access, c, secret);
  const form = await readForm(c);
  const { run, path } = linkedApproval(link.about);
  const { actor } = rightOf(callerOf(access, requirePerson(access, link.person), 'link'), { demand: 'decide', on: 'decide' });
  const approval = await approvalAt(access, { run, path });
  const digest = form.get('digest') ?? '';
  if (approval === undefined || approval.digest !== digest) return approvalPage(access, { link, secret }, { digest });
  const option = form.get('option') ?? '';
  const input = inputOf(form.get('input') ?? '');
  redeemLink(access, secret, ['decide']);
  const record = (outcome: string): void =>
    recordAct(
      access,
      { person: actor, via: 'link', address: addressOf(access, c), outcome },
      { action: 'decide', run, step: path, choice: option },
    );
  try {
    const signature = approval.signed ? signedBy(access, actor, form.get('passkey')) : undefined;
    await access.services.engine.run(run).decide({ option, actor, approval: path, digest, ...omitUndefined({ input, signature }) });
    const { workflow } = (await access.services.store.load(run)).state;
    record('ok');
    return decidedPage({ approval, run, workflow }, option, actor);
  } catch (error) {
    restoreLink(access, link.id);
    if (!isEngineError(error)) throw error;
    record(error.code);
    return approvalPage(access, { link, secret }, { digest, problem: access.services.paths.message(error.message) });
  }
}

function signedBy(access: Access, person: string, passkey: string | null) {
  if (passkey === null || passkey === '')
    throw new EngineError(
      'SIGNATURE_REQUIRED',
      'this decision must be signed with your passkey, which needs JavaScript in the browser; or sign it with "pawl decide" at a terminal',
    );
  return signatureOf(access, person, JSON.parse(passkey));
}

/** The text of a form with LF instead of CRLF; undefined if it is empty. */
function inputOf(text: string): string | undefined {
  const plain = text.replaceAll('\r\n', '\n');
  return plain.trim() === '' ? undefined : plain;
}
