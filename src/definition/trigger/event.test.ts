import { expect, test } from 'vitest';
import { eventProblem } from './event.ts';

test.each(['issues', 'issues.labeled', 'pull_request.opened', 'push', 'repository_dispatch.deploy', 'workflow_dispatch'])(
  '%s is an event',
  (name) => {
    expect(eventProblem(name)).toBeUndefined();
  },
);

test.each([
  ['pull_request.openned', 'the event "pull_request" has no action "openned" (did you mean "pull_request.opened"?)'],
  ['pull_requests.opened', 'there is no event "pull_requests" (did you mean "pull_request"?)'],
  ['nonsense', 'there is no event "nonsense"'],
  ['push.created', 'the event "push" has no action "created"'],
  ['issues.', 'the event "issues" has no action ""'],
  ['constructor', 'there is no event "constructor"'],
])('%s is not an event', (name, message) => {
  expect(eventProblem(name)?.message).toBe(message);
});
