// Handles requests to the GitHub of the tests about checks, commit statuses, workflows and Apps.

import { type ApiRequest, type ApiResponse, apiError, type Handler } from './exchange.ts';
import { checkData, userData } from './shapes.ts';
import { type GitHubState, type StoredCheck, stamp } from './state.ts';

/** The App of the tests. */
export const APP = { id: 4711, slug: 'pawl-test', installation: 99 };

async function commitOf({ state, params }: ApiRequest): Promise<string | undefined> {
  const ref = params.ref ?? params.sha ?? '';
  return state.headOf(ref) ?? (await state.git.commitOf(ref));
}

function noCommit(ref: string | undefined): ApiResponse {
  return apiError(422, `No commit found for SHA: ${ref}`);
}

/** Adds or changes a check run. */
export function setCheck(
  state: GitHubState,
  fields: Pick<StoredCheck, 'sha' | 'name' | 'app' | 'suite' | 'status' | 'conclusion'>,
): StoredCheck {
  const known = state.checks.find(({ sha, name, app }) => sha === fields.sha && name === fields.name && app === fields.app);
  const completedAt = fields.status === 'completed' ? stamp() : null;
  if (known === undefined) {
    const made = { id: state.id(), ...fields, completedAt };
    state.checks.push(made);
    return made;
  }
  return Object.assign(known, { status: fields.status, conclusion: fields.conclusion, completedAt });
}

/** The slug of the App whose token a request has; that of a job is a token of the App `github-actions`. */
function appOf({ actor }: ApiRequest): string | undefined {
  return [APP.slug, 'github-actions'].find((slug) => actor === `${slug}[bot]`);
}

function onlyApps(request: ApiRequest): ApiResponse | undefined {
  return appOf(request) === undefined ? apiError(403, 'You must authenticate via a GitHub App.') : undefined;
}

/** The operations on checks and Apps. */
export const checkHandlers: Readonly<Record<string, Handler>> = {
  'checks/list-for-ref': async (request) => {
    const sha = await commitOf(request);
    if (sha === undefined) return noCommit(request.params.ref);
    const name = request.query.get('check_name');
    const found = request.state.checks.filter((check) => check.sha === sha && (name === null || check.name === name));
    return { status: 200, listIn: 'check_runs', data: { total_count: found.length, check_runs: found.map(checkData) } };
  },
  'checks/create': async (request) => {
    const refusal = onlyApps(request);
    if (refusal !== undefined) return refusal;
    const { state, body } = request;
    const sha = String(body.head_sha);
    if ((await state.git.commitOf(sha)) === undefined) return noCommit(sha);
    const conclusion = (body.conclusion ?? null) as string | null;
    const fields = {
      sha,
      name: String(body.name),
      app: appOf(request) ?? '',
      suite: 1,
      status: String(body.status ?? 'queued'),
      conclusion,
    };
    return { status: 201, data: checkData(setCheck(state, fields)) };
  },
  'checks/update': (request) => {
    const refusal = onlyApps(request);
    if (refusal !== undefined) return refusal;
    const { state, params, body } = request;
    const found = state.checks.find(({ id }) => id === Number(params.check_run_id));
    if (found === undefined) return apiError(404, 'Not Found');
    const conclusion = (body.conclusion ?? null) as string | null;
    return { status: 200, data: checkData(setCheck(state, { ...found, status: String(body.status ?? found.status), conclusion })) };
  },
  'repos/get-combined-status-for-ref': async (request) => {
    const sha = await commitOf(request);
    if (sha === undefined) return noCommit(request.params.ref);
    const found = request.state.statuses.filter((status) => status.sha === sha);
    const statuses = found.map(({ context, state, description, id = 1, at = '2020-01-01T00:00:00Z' }) => ({
      ...{ context, state, description, id, created_at: at, updated_at: at },
    }));
    const url = `/repos/${request.params.owner}/${request.params.repo}/commits/${sha}/status`;
    return { status: 200, listIn: 'statuses', data: { sha, state: 'pending', total_count: found.length, url, statuses } };
  },
  'repos/create-commit-status': async (request) => {
    const sha = await commitOf(request);
    const { state, actor, body } = request;
    if (sha === undefined) return noCommit(request.params.sha);
    const made = {
      sha,
      context: String(body.context),
      state: String(body.state),
      description: (body.description ?? null) as string | null,
      ...{ id: state.id(), at: stamp() },
    };
    const index = state.statuses.findIndex((one) => one.sha === sha && one.context === made.context);
    state.statuses.splice(index === -1 ? state.statuses.length : index, index === -1 ? 0 : 1, made);
    return {
      status: 201,
      data: { context: made.context, state: made.state, description: made.description, creator: userData(state, actor) },
    };
  },
  'actions/list-workflow-runs-for-repo': ({ state, query }) => {
    const found = state.workflowRuns.filter(({ sha }) => sha === query.get('head_sha'));
    const runs = found.map(({ suite, name, sha }) => ({ name, check_suite_id: suite, head_sha: sha }));
    return { status: 200, listIn: 'workflow_runs', data: { total_count: runs.length, workflow_runs: runs } };
  },
  'apps/get-authenticated': () => ({
    status: 200,
    data: { id: APP.id, slug: APP.slug, permissions: { contents: 'write', checks: 'write', issues: 'write', pull_requests: 'write' } },
  }),
  'apps/get-repo-installation': () => ({ status: 200, data: { id: APP.installation, app_id: APP.id, app_slug: APP.slug } }),
  'apps/create-installation-access-token': ({ state }) => {
    const token = `ghs_${state.id()}`;
    state.tokens.set(token, `${APP.slug}[bot]`);
    return { status: 201, data: { token, expires_at: new Date(Date.now() + state.aheadMs + 3_600_000).toISOString() } };
  },
};
