// Handles each operation of the GitHub of the tests. A handler returns the fields that matter; the description fills in the
// rest.

import { checkHandlers } from './check-handlers.ts';
import { type ApiRequest, type ApiResponse, apiError, type Handler, itemOf } from './exchange.ts';
import { hookHandlers } from './hook-handlers.ts';
import { pullHandlers } from './pull-handlers.ts';
import { commentData, eventData, fileData, issueData, labelData, userData } from './shapes.ts';
import { type GitHubState, type Item, OWNER, stamp } from './state.ts';

const NOT_FOUND = apiError(404, 'Not Found');

function withItem(handle: (request: ApiRequest, item: Item) => ApiResponse): Handler {
  return (request) => {
    const item = itemOf(request);
    return item === undefined ? NOT_FOUND : handle(request, item);
  };
}

const issueHandlers: Readonly<Record<string, Handler>> = {
  'issues/get': withItem(({ state }, item) => ({ status: 200, data: issueData(state, item) })),
  'issues/create': ({ state, actor, body }) => {
    const item = state.add({ title: String(body.title), body: String(body.body ?? ''), user: actor });
    for (const label of (body.labels ?? []) as string[]) addLabel(state, item, { label, actor });
    return { status: 201, data: issueData(state, item) };
  },
  'issues/update': withItem(({ state, actor, body }, item) => {
    if (body.state === 'closed' && item.open) {
      item.open = false;
      state.record(item, 'closed', { actor });
    }
    return { status: 200, data: issueData(state, item) };
  }),
  'issues/add-labels': withItem(({ state, actor, body }, item) => {
    for (const label of body.labels as string[]) addLabel(state, item, { label, actor });
    return { status: 200, data: item.labels.map(labelData) };
  }),
  'issues/add-assignees': withItem(({ state, actor, body }, item) => {
    const isNew = (login: string): boolean => !item.assignees.some((one) => one.toLowerCase() === login.toLowerCase());
    for (const login of (body.assignees as string[]).filter(isNew)) {
      item.assignees.push(login);
      state.record(item, 'assigned', { actor });
    }
    return { status: 201, data: issueData(state, item) };
  }),
  'issues/remove-label': withItem(({ state, actor, params }, item) => {
    const label = params.name as string;
    if (!item.labels.includes(label)) return apiError(404, 'Label does not exist');
    item.labels = item.labels.filter((one) => one !== label);
    state.record(item, 'unlabeled', { actor, label });
    return { status: 200, data: item.labels.map(labelData) };
  }),
  'issues/list-for-repo': ({ state, query }) => {
    const since = query.get('since') ?? '';
    const listed = [...state.items.values()].filter(
      ({ open, updatedAt }) => (query.get('state') === 'all' || open) && updatedAt >= since.slice(0, 19),
    );
    return { status: 200, data: listed.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).map((item) => issueData(state, item)) };
  },
  'issues/list-events-for-repo': ({ state }) => ({ status: 200, data: state.events.toReversed().map((event) => eventData(state, event)) }),
};

function addLabel(state: GitHubState, item: Item, { label, actor }: { readonly label: string; readonly actor: string }): void {
  if (item.labels.includes(label)) return;
  item.labels = [...item.labels, label];
  state.record(item, 'labeled', { actor, label });
}

const commentHandlers: Readonly<Record<string, Handler>> = {
  'issues/list-comments': withItem(({ state, query }, { number }) => {
    const since = (query.get('since') ?? '').slice(0, 19);
    const listed = state.comments.filter((one) => one.number === number && one.updatedAt >= since);
    return { status: 200, data: listed.map((comment) => commentData(state, comment)) };
  }),
  'issues/list-comments-for-repo': ({ state, query }) => {
    const since = (query.get('since') ?? '').slice(0, 19);
    const listed = state.comments.filter(({ updatedAt }) => updatedAt >= since).toReversed();
    return { status: 200, data: listed.map((comment) => commentData(state, comment)) };
  },
  'issues/create-comment': withItem(({ state, actor, body }, item) => {
    if (String(body.body).length > 65_536)
      return apiError(422, 'Validation Failed', [{ message: 'body is too long (maximum is 65536 characters)' }]);
    const at = stamp();
    const made = { id: state.id(), number: item.number, user: actor, body: String(body.body), createdAt: at, updatedAt: at };
    state.comments.push(made);
    state.touch(item);
    return { status: 201, data: commentData(state, made) };
  }),
  'issues/get-comment': ({ state, params }) => {
    const found = state.comments.find(({ id }) => id === Number(params.comment_id));
    return found === undefined ? NOT_FOUND : { status: 200, data: commentData(state, found) };
  },
  'reactions/create-for-issue-comment': ({ state, actor, params, body }) => {
    const comment = Number(params.comment_id);
    if (!state.comments.some(({ id }) => id === comment)) return NOT_FOUND;
    const content = String(body.content);
    const known = state.reactions.find((one) => one.comment === comment && one.user === actor && one.content === content);
    const made = known ?? { id: state.id(), comment, user: actor, content, createdAt: stamp() };
    if (known === undefined) state.reactions.push(made);
    const data = { id: made.id, content, user: userData(state, actor), created_at: made.createdAt };
    return { status: known === undefined ? 201 : 200, data };
  },
  'issues/update-comment': ({ state, params, body }) => {
    const found = state.comments.find(({ id }) => id === Number(params.comment_id));
    if (found === undefined) return NOT_FOUND;
    found.body = String(body.body);
    found.updatedAt = stamp();
    return { status: 200, data: commentData(state, found) };
  },
};

const repositoryHandlers: Readonly<Record<string, Handler>> = {
  'repos/get': ({ state, actor }) => {
    const { permission } = state.account(actor);
    const permissions = { admin: permission === 'admin', push: permission === 'admin' || permission === 'write', pull: true };
    const allowed = { allow_merge_commit: true, allow_squash_merge: true, allow_rebase_merge: true };
    return {
      status: 200,
      data: { id: 1, full_name: `${OWNER}/${state.name}`, name: state.name, default_branch: state.defaultBranch, permissions, ...allowed },
    };
  },
  'users/get-authenticated': ({ state, actor }) => ({ status: 200, data: userData(state, actor) }),
  'repos/get-collaborator-permission-level': ({ state, params }) => {
    const login = params.username as string;
    const { permission } = state.account(login);
    return { status: 200, data: { permission, role_name: permission, user: { login, type: 'User' } } };
  },
  'teams/list-members-in-org': ({ state, params }) => {
    const members = params.org === OWNER ? state.teams.get(params.team_slug as string) : undefined;
    return members === undefined ? NOT_FOUND : { status: 200, data: members.map((login) => userData(state, login)) };
  },
  'repos/get-branch': async ({ state, params }) => {
    const name = params.branch as string;
    const sha = state.headOf(name);
    if (sha === undefined) return apiError(404, 'Branch not found');
    const contexts = state.required.get(name) ?? [];
    const protection = {
      enabled: contexts.length > 0,
      required_status_checks: { contexts, checks: contexts.map((context) => ({ context, app_id: null })) },
    };
    return { status: 200, data: { name, commit: { sha }, protected: contexts.length > 0, protection } };
  },
  'repos/get-branch-rules': ({ state, params }) => ({
    status: 200,
    data: state.queues.has(params.branch as string) ? [QUEUE_RULE] : [],
  }),
  'git/get-ref': async ({ state, params }) => {
    const sha = state.headOf((params.ref as string).replace(/^heads\//, ''));
    return sha === undefined ? NOT_FOUND : { status: 200, data: { ref: `refs/${params.ref}`, object: { type: 'commit', sha } } };
  },
  'git/delete-ref': async ({ state, params }) => {
    const branch = (params.ref as string).replace(/^heads\//, '');
    const sha = state.headOf(branch);
    if (sha === undefined) return apiError(422, 'Reference does not exist');
    await state.git.deleteBranch(branch, sha);
    return { status: 204 };
  },
  'repos/compare-commits-with-basehead': compare,
};

const QUEUE_RULE = {
  ...{ type: 'merge_queue', ruleset_id: 1, ruleset_source: 'octo/project', ruleset_source_type: 'Repository' },
  parameters: {
    ...{ check_response_timeout_minutes: 60, grouping_strategy: 'ALLGREEN', max_entries_to_build: 5, max_entries_to_merge: 5 },
    ...{ merge_method: 'MERGE', min_entries_to_merge: 1, min_entries_to_merge_wait_minutes: 5 },
  },
};

async function compare({ state, params }: ApiRequest): Promise<ApiResponse> {
  const [base, head] = await Promise.all(
    (params.basehead as string).split('...').map(async (name) => state.headOf(name) ?? (await state.git.commitOf(name))),
  );
  if (base === undefined || head === undefined) return NOT_FOUND;
  const files = await state.git.changedFiles(base, head);
  const [ahead, behind] = [!(await state.git.contains(base, head)), !(await state.git.contains(head, base))];
  const status = ahead ? (behind ? 'diverged' : 'ahead') : behind ? 'behind' : 'identical';
  const counts = { ahead_by: ahead ? 1 : 0, behind_by: behind ? 1 : 0, total_commits: ahead ? 1 : 0 };
  return { status: 200, data: { status, ...counts, commits: [], files: files.map(fileData) } };
}

/** Every operation that the driver uses. */
export const HANDLERS: Readonly<Record<string, Handler>> = {
  ...issueHandlers,
  ...commentHandlers,
  ...repositoryHandlers,
  ...pullHandlers,
  ...checkHandlers,
  ...hookHandlers,
};
