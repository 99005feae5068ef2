// Owns workflow files with one mistake each, as people make them. What is said about each is kept in `002/mistakes`, to
// be read and judged as the person who made the mistake.

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata:\n  name: review\n';

/** A workflow around some stages. */
function withStages(stages: string, head = HEAD): string {
  const lines = stages.replace(/^\n/, '').trimEnd().split('\n');
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return `${head}stages:\n${lines.map((line) => (line.trim() === '' ? '' : `  ${line.slice(indent)}`)).join('\n')}\n`;
}

const AGENT = '  - id: implement\n    type: agent\n    agent: feat-dev\n';

/** Mistakes by what they are called. */
export const MISTAKES: Readonly<Record<string, string>> = {
  'field-misspelt': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      actoin: implement
      on_compelte: complete`),
  'field-misspelt-and-so-missing': withStages(`
    - id: implement
      type: agent
      agnt: feat-dev`),
  'field-in-wrong-case': `apiversion: pawl.dev/v1\nkind: Workflow\nmetadata:\n  name: review\nstages:\n${AGENT}`,
  'transition-of-another-type': withStages(`
    - id: test
      type: gate
      conditions:
        - check: command
          run: npm test
      on_failure: complete`),
  'type-misspelt': withStages(`
    - id: implement
      type: agnet
      agent: feat-dev`),
  'type-forgotten': withStages(`
    - id: test
      conditions:
        - check: command
          run: npm test`),
  'stage-names-only': `${HEAD}trigger: pull_request.opened\nstages: [test, security-review, code-review]\n`,
  'duration-without-unit': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      timeout: 30`),
  'duration-in-words': withStages(`
    - id: wait
      type: delay
      duration: 10 minutes`),
  'coverage-as-fraction': withStages(`
    - id: test
      type: gate
      conditions:
        - check: coverage
          minimum: 0.8`),
  'template-in-run': withStages(`
    - id: test
      type: gate
      conditions:
        - check: command
          run: echo "{{ context.issue_title }}" | tee title.txt`),
  'template-without-quotes': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      condition: {{ context.ready }}
      on_complete: complete`),
  'template-not-closed': withStages(`
    - id: ask
      type: human
      prompt: |
        Good evening.
        Shall {{ context.issue_title be shipped?`),
  'condition-syntax': withStages(`
    - id: docs
      type: agent
      agent: docs-dev
      condition: "{{ outputs.code_changes | has_public_api && }}"
      skip_to: complete`),
  'expect-name': withStages(`
    - id: test
      type: gate
      conditions:
        - check: command
          run: npm test
          expect: exitcode == 0`),
  'secret-in-prompt': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      prompt: "Use the token {{ secrets.API_TOKEN }}"`),
  'secret-to-unknown-host': withStages(`
    - id: tell
      type: webhook
      request:
        url: "https://{{ context.host }}/hook"
        headers:
          Authorization: "Bearer {{ secrets.API_TOKEN }}"`),
  'key-twice': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      timeout: 10m
      timeout: 30m`),
  'tab-as-indent': `${HEAD}stages:\n\t- id: implement\n`,
  'quote-not-closed': withStages(`
    - id: implement
      type: agent
      agent: "feat-dev
      action: implement`),
  'join-counts-wrong': withStages(`
    - id: review
      type: parallel
      join: 2-of-3
      branches:
        - { id: code, agent: pr-review }
        - { id: security, agent: security-review }`),
  'transition-forms-mixed': withStages(`
    - id: test
      type: gate
      conditions: [{ check: file_exists, paths: [README.md] }]
      on_fail:
        goto: implement
        retry: 3
        then: escalate`),
  'retry-on-fail': withStages(`
    - id: test
      type: gate
      conditions: [{ check: file_exists, paths: [README.md] }]
      on_fail: { retry: 2, then: escalate }`),
  'transition-in-branch': withStages(`
    - id: review
      type: parallel
      branches:
        - id: code
          agent: pr-review
          on_complete: merge`),
  'check-misspelt': withStages(`
    - id: test
      type: gate
      conditions:
        - check: comand
          run: npm test`),
  'run-and-argv': withStages(`
    - id: build
      type: command
      run: npm test
      argv: [npm, test]`),
  'hook-with-two-keys': `${withStages(AGENT)}on_error:\n  - label_issue: needs-human\n    notify: maintainers\n`,
  'stages-as-map': `${HEAD}stages:\n  implement:\n    type: agent\n    agent: feat-dev\n`,
  'another-file': 'name: CI\non: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n',
  'merge-key': `${HEAD}stages:\n  - &base\n    id: implement\n    type: agent\n    agent: feat-dev\n  - <<: *base\n    id: document\n`,
  'field-missing': withStages(`
    - id: wait
      type: delay`),
  'indent-off': `${HEAD}stages:\n  - id: implement\n    type: agent\n   agent: feat-dev\n`,
  'list-without-space': `${HEAD}stages:\n  -id: implement\n   type: agent\n`,
  'colon-without-space': withStages(`
    - id: build
      type: command
      run:npm test`),
  'colon-in-text': withStages(`
    - id: build
      type: command
      run: echo Warning: nothing is tested`),
  'alias-bomb': `${['a: &a [x, x, x, x, x, x, x, x, x]', ...[...'bcdefgh'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[at]}`).join(', ')}]`)].join('\n')}\n`,
  'target-unknown': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      on_complete: test_suite
    - id: test-suite
      type: command
      run: npm test`),
  'target-in-wrong-case': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      on_complete: Complete`),
  'id-twice': withStages(`
    - id: test
      type: command
      run: npm test
    - id: test
      type: command
      run: npm run lint`),
  'id-reserved': withStages(`
    - id: complete
      type: command
      run: npm test`),
  'stage-unreachable': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      on_complete: merge
    - id: document
      type: agent
      agent: docs-dev
    - id: merge
      type: action
      action: merge_pr`),
  'loop-without-exit': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      on_complete: test
      on_fail: test
      on_timeout: test
      on_error: test
    - id: test
      type: command
      run: npm test
      on_complete: implement
      on_failure: { goto: implement, max_iterations: 3, then: implement }
      on_timeout: implement
      on_error: implement`),
  'join-never-met': withStages(`
    - id: review
      type: parallel
      join: 3-of-2
      branches:
        - { id: code, agent: pr-review }
        - { id: security, agent: security-review }`),
  'filter-unknown': withStages(`
    - id: docs
      type: agent
      agent: docs-dev
      condition: "{{ labels | includes('docs') }}"`),
  'name-unknown-in-condition': withStages(`
    - id: docs
      type: agent
      agent: docs-dev
      condition: "{{ contxt.ready }}"`),
  'output-unknown': withStages(`
    - id: implement
      type: agent
      agent: feat-dev
      outputs: [{ name: code_changes, type: file, pattern: 'src/**' }]
    - id: docs
      type: agent
      agent: docs-dev
      prompt: "Describe {{ outputs.code_change }}"`),
  'condition-not-boolean': withStages(`
    - id: docs
      type: agent
      agent: docs-dev
      condition: "labels | length"`),
  'condition-with-assignment': withStages(`
    - id: docs
      type: agent
      agent: docs-dev
      condition: context.ready = true`),
  'number-as-text': withStages(`
    - id: approval
      type: gate
      conditions:
        - check: pr_approval
          from: maintainers
          count: "two"`),
  'several-mistakes': `apiVersion: pawl.dev/v2
kind: Workflow
metadata:
  nam: review
trigger:
  event: issues.labeled
  conditions:
    labels: feature
budget:
  cost_usd: -5
stages:
  - id: implement
    type: agent
    agent: feat-dev
    continue_session: "yes"
    outputs:
      - name: code
        type: files
    on_error:
      retry: two
  - id: merge
    type: action
    action: merge_pr
    method: fast-forward
    on_succes: complete
`,
};
