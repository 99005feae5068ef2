// Owns the examples of the reference of workflow files: for each type of stage a whole file, and how a run of it ends.
// The reference shows them, and a test runs each.

/** A whole workflow file, and the end of a run of it. */
export interface ReferenceExample {
  readonly text: string;
  /** `waiting`: until a person decides. */
  readonly ends: 'completed' | 'waiting';
  /** The same as a sentence of the page, with what has to be there. */
  readonly story: string;
}

const example = (name: string, rest: string): string =>
  `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\n${rest.replace(/^\n/, '').trimEnd()}`;

/** Files to copy, by the type of stage. */
export const STAGE_EXAMPLES: Readonly<Record<string, ReferenceExample>> = {
  agent: {
    ends: 'completed',
    story: 'Completes once the agent of the role `feat-dev` has changed a file under `src`.',
    text: example(
      'implement-feature',
      `
stages:
  - id: implement
    type: agent
    agent: feat-dev
    action: implement
    outputs:
      - { name: code_changes, type: file, pattern: "src/**", required: true }
    timeout: 2h
    on_error: { retry: 2, backoff: { initial: 10s }, then: escalate }`,
    ),
  },
  gate: {
    ends: 'completed',
    story: 'Completes once both checks pass; until then the agent is sent back, at most three times, with what failed.',
    text: example(
      'tested-feature',
      `
stages:
  - id: implement
    type: agent
    agent: feat-dev
  - id: test
    type: gate
    conditions:
      - { check: command, run: "test -s CHANGELOG.md" }
      - { check: file_exists, paths: [src/search.ts] }
    on_fail: { goto: implement, context: { failure_reason: "{{ gate.failed_checks }}" }, max_iterations: 3 }`,
    ),
  },
  parallel: {
    ends: 'completed',
    story: 'Completes once two of the three branches approve.',
    text: example(
      'reviewed-feature',
      `
stages:
  - id: implement
    type: agent
    agent: feat-dev
  - id: review
    type: parallel
    join: 2-of-3
    branches:
      - { id: code, agent: pr-review, action: review }
      - { id: security, agent: security-review, action: review }
      - { id: tests, type: command, run: "test -d ." }
    on_any_reject: { goto: implement, context: { feedback: "{{ branches.*.feedback }}" }, max_iterations: 3 }`,
    ),
  },
  delay: {
    ends: 'completed',
    story: 'Completes as soon as the forge knows whether the pull request can be merged, after ten minutes at the latest.',
    text: example(
      'settle-first',
      `
stages:
  - id: settle
    type: delay
    duration: 10m
    poll: { interval: 1s, condition: "github.pr.mergeable != null" }`,
    ),
  },
  action: {
    ends: 'completed',
    story:
      'Completes when the pull request is merged; after a conflict, the role `merge-conflict` resolves it and the merge is tried once more.',
    text: example(
      'land-feature',
      `
stages:
  - id: merge
    type: action
    action: merge_pr
    method: squash
    on_success: complete
    on_conflict: { spawn: merge-conflict, then: merge_again }
  - id: merge_again
    type: action
    action: merge_pr`,
    ),
  },
  webhook: {
    ends: 'completed',
    story: 'Completes when the server answers with the status 201.',
    text: example(
      'announce-release',
      `
stages:
  - id: announce
    type: webhook
    request:
      url: https://api.example.com/releases
      headers: { Authorization: "Bearer {{ secrets.API_TOKEN }}" }
      body: { pr: "{{ context.pr_number }}" }
    expect: { status: 201 }
    on_failure: escalate`,
    ),
  },
  human: {
    ends: 'waiting',
    story: 'Waits until a person decides: `pawl inbox` shows the question, `pawl approve RUN` answers it.',
    text: example(
      'ship-feature',
      `
stages:
  - id: implement
    type: agent
    agent: feat-dev
  - id: approve
    type: human
    prompt: "Ship issue {{ context.issue_number }}?"
    options:
      - { label: Ship it }
      - { label: Rework, goto: implement, requires_input: true }
    timeout: 24h
    on_timeout: { notify: maintainers, extend: 24h, max_extensions: 3, then: escalate }`,
    ),
  },
  workflow: {
    ends: 'completed',
    story: 'Completes when the workflow `release`, another file of the project, has completed.',
    text: example(
      'release-train',
      `
stages:
  - id: release
    type: workflow
    workflow: release
    input: { version: 1.0.0 }`,
    ),
  },
  command: {
    ends: 'completed',
    story: 'Completes when the program ends with 0.',
    text: example(
      'write-title',
      `
params:
  title: { type: string, default: Search }
stages:
  - id: build
    type: command
    run: printf '%s\\n' "$TITLE" > title.txt
    env: { TITLE: "{{ params.title }}" }`,
    ),
  },
  review: {
    ends: 'completed',
    story: 'Completes when a reviewer has answered every item that can stop the work with `pass`.',
    text: example(
      'reviewed',
      `
stages:
  - id: quality
    type: review
    subject: The change for #{{ context.issue_number }}
    reviewer: quality-reviewer
    fixer: feat-dev
    items:
      - { id: tests, severity: MUST, question: Does every changed function have a test? }
      - { id: names, severity: COULD, question: Does every name say what the thing is? }`,
    ),
  },
  signal: {
    ends: 'waiting',
    story: 'Waits until someone runs `pawl signal RUN deployed \'{"version": "1.0.0"}\'`.',
    text: example(
      'after-deployment',
      `
stages:
  - id: deployment
    type: signal
    signal: deployed`,
    ),
  },
};
