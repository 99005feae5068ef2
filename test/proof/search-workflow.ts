// Owns the workflow that `pawl serve` runs for an issue in the tests of whole servers: from a label to a merged pull request.

/** What its agents do; `implement` writes one file. */
export const searchAgents = (file: string) => ({
  implement: `write('${file}', 'def find(text):\\n    return text\\n')`,
  pull_request: "output = { pr: { title: 'Add search', body: 'Closes nothing.' } }",
});

/** The workflow. */
export const SEARCH_WORKFLOW = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: search }
trigger: { event: issues.labeled, conditions: { label: search } }
context: { issue_number: "{{ trigger.issue.number }}" }
stages:
  - { id: implement, type: agent, agent: feat-dev, action: implement, recovery: rerun }
  - id: pull_request
    type: agent
    agent: feat-dev
    action: open_pr
    recovery: rerun
    outputs: [{ name: pr_number, type: pr, required: true }]
  - { id: approval, type: gate, conditions: [{ check: pr_approval, from: maintainers, count: 1 }], timeout: 24h, on_pass: merge }
  - { id: merge, type: action, action: merge_pr, method: squash, delete_branch: true, on_success: complete }
on_complete:
  - close_issue: "{{ context.issue_number }}"
`;
