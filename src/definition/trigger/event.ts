// Owns the table of events that can trigger a workflow: GitHub's webhook events and their actions. It is pinned here, so
// that a misspelt event is found before a run waits for something that never happens.

import { didYouMean } from '../../base/suggest.ts';

/** Actions by event, as GitHub documents them. An event without actions has an empty text; `*` stands for custom names. */
const ACTIONS: Readonly<Record<string, string>> = {
  branch_protection_configuration: 'disabled enabled',
  branch_protection_rule: 'created deleted edited',
  check_run: 'completed created requested_action rerequested',
  check_suite: 'completed requested rerequested',
  code_scanning_alert: 'appeared_in_branch closed_by_user created fixed reopened reopened_by_user updated_assignment',
  commit_comment: 'created',
  create: '',
  custom_property: 'created deleted promote_to_enterprise updated',
  custom_property_values: 'updated',
  delete: '',
  dependabot_alert: 'auto_dismissed auto_reopened created dismissed fixed reintroduced reopened',
  deploy_key: 'created deleted',
  deployment: 'created',
  deployment_protection_rule: 'requested',
  deployment_review: 'approved rejected requested',
  deployment_status: 'created',
  discussion:
    'answered category_changed closed created deleted edited labeled locked pinned reopened transferred unanswered unlabeled unlocked unpinned',
  discussion_comment: 'created deleted edited',
  fork: '',
  github_app_authorization: 'revoked',
  gollum: '',
  installation: 'created deleted new_permissions_accepted suspend unsuspend',
  installation_repositories: 'added removed',
  installation_target: 'renamed',
  issue_comment: 'created deleted edited pinned unpinned',
  issue_dependencies: 'blocked_by_added blocked_by_removed blocking_added blocking_removed',
  issues:
    'assigned closed deleted demilestoned edited labeled locked milestoned opened pinned reopened transferred typed unassigned unlabeled unlocked unpinned untyped',
  label: 'created deleted edited',
  marketplace_purchase: 'cancelled changed pending_change pending_change_cancelled purchased',
  member: 'added edited removed',
  membership: 'added removed',
  merge_group: 'checks_requested destroyed',
  meta: 'deleted',
  milestone: 'closed created deleted edited opened',
  org_block: 'blocked unblocked',
  organization: 'deleted member_added member_invited member_removed renamed',
  package: 'published updated',
  page_build: '',
  personal_access_token_request: 'approved cancelled created denied',
  ping: '',
  project: 'closed created deleted edited reopened',
  project_card: 'converted created deleted edited moved',
  project_column: 'created deleted edited moved',
  projects_v2: 'closed created deleted edited reopened',
  projects_v2_item: 'archived converted created deleted edited reordered restored',
  projects_v2_status_update: 'created deleted edited',
  public: '',
  pull_request:
    'assigned auto_merge_disabled auto_merge_enabled closed converted_to_draft demilestoned dequeued edited enqueued labeled locked milestoned opened ready_for_review reopened review_request_removed review_requested synchronize unassigned unlabeled unlocked',
  pull_request_review: 'dismissed edited submitted',
  pull_request_review_comment: 'created deleted edited',
  pull_request_review_thread: 'resolved unresolved',
  push: '',
  registry_package: 'published updated',
  release: 'created deleted edited prereleased published released unpublished',
  repository: 'archived created deleted edited privatized publicized renamed transferred unarchived',
  repository_advisory: 'published reported',
  repository_dispatch: '*',
  repository_import: '',
  repository_ruleset: 'created deleted edited',
  repository_vulnerability_alert: 'create dismiss reopen resolve',
  secret_scanning_alert: 'assigned created publicly_leaked reopened resolved unassigned validated',
  secret_scanning_alert_location: 'created',
  secret_scanning_scan: 'completed',
  security_advisory: 'published updated withdrawn',
  security_and_analysis: '',
  sponsorship: 'cancelled created edited pending_cancellation pending_tier_change tier_changed',
  star: 'created deleted',
  status: '',
  sub_issues: 'parent_issue_added parent_issue_removed sub_issue_added sub_issue_removed',
  team: 'added_to_repository created deleted edited removed_from_repository',
  team_add: '',
  watch: 'started',
  workflow_dispatch: '',
  workflow_job: 'completed in_progress queued waiting',
  workflow_run: 'completed in_progress requested',
};

/** The parts of the name of an event: `pull_request.opened` is the action `opened` of `pull_request`. */
export function parseEvent(name: string): { readonly kind: string; readonly action: string | undefined } {
  const dot = name.indexOf('.');
  return dot === -1 ? { kind: name, action: undefined } : { kind: name.slice(0, dot), action: name.slice(dot + 1) };
}

/** Why a name is not an event, and what to write instead. */
interface EventProblem {
  readonly message: string;
  readonly hint: string;
}

/** Returns what is wrong with the name of an event such as `issues.labeled`, or undefined if GitHub has that event. */
export function eventProblem(name: string): EventProblem | undefined {
  const { kind: event, action } = parseEvent(name);
  if (!Object.hasOwn(ACTIONS, event))
    return {
      message: `there is no event "${event}"${didYouMean(event, Object.keys(ACTIONS))}`,
      hint: 'name an event of GitHub, such as issues.labeled or pull_request.opened',
    };
  const actions = (ACTIONS[event] as string).split(' ').filter((known) => known !== '');
  if (action === undefined || actions.includes(action) || (actions[0] === '*' && action !== '')) return undefined;
  const suggestion = didYouMean(
    name,
    actions.map((known) => `${event}.${known}`),
  );
  return {
    message: `the event "${event}" has no action "${action}"${suggestion}`,
    hint: actions.length === 0 ? `write ${event} without an action` : `write ${event} alone, or with one of ${actions.join(', ')}`,
  };
}
