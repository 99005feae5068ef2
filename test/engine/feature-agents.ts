// Owns the agents of the feature-development tests: those that do their work, and all the ways in which they do not.

import { type Agent, approve, BRANCH, done, implement, PRIVATE_CODE, PUBLIC_CODE, review } from './feature-project.ts';
import { appeared } from './rig.ts';

/** Says that it could not do it. */
export const fails: Agent = () => ({ kind: 'answered', success: false, output: { error: 'I cannot do it' } });

/** Ends without an answer. */
export const breaks: Agent = () => ({ kind: 'failed', failure: 'crash', message: 'the agent broke' });

/** Says no to what it was given. */
export const rejects: Agent = () => review('reject', 'no index');

/** Never answers; the time limit of the step runs out meanwhile. */
export const hangs: Agent = async (_, { clock }) => {
  while (clock.next() === undefined) await new Promise(setImmediate);
  clock.advance((clock.next() as number) - clock.now());
  return await new Promise(() => {});
};

/** Is given up by its own driver. */
export const timesOut: Agent = () => ({ kind: 'failed', failure: 'timeout', message: 'the agent said nothing for an hour' });

/** An agent that does one thing after the other, and the last one from then on. */
export function inTurn(...agents: readonly Agent[]): Agent {
  let index = 0;
  return (request, project) => {
    const agent = agents[Math.min(index, agents.length - 1)] as Agent;
    index += 1;
    return agent(request, project);
  };
}

/** Writes code that others may use. */
export const publicly = implement(PUBLIC_CODE);

/** Writes code that is for itself. */
export const privately = implement(PRIVATE_CODE, '_find');

/** Writes a test of a function that is not there, and leaves its own untested. */
export const untested = implement(PRIVATE_CODE, 'search');

/** The tests of the code that is for itself. */
export const TESTS = 'def test_it():\n    assert _find("a")\n';

/** Writes what the linter does not like. */
export const untidy: Agent = implement(`${PRIVATE_CODE}x = 1 \n`, '_find');

/** Leaves tests behind that never end; the time of the gate runs out once they have begun. */
export const hanging: Agent = async (request, project) => {
  const answer = await implement(`${PRIVATE_CODE}while True: pass\n`, '_find')(request, project);
  void appeared(project.rig.path('hung')).then(() => project.clock.advance((project.clock.next() as number) - project.clock.now()));
  return answer;
};

/** Somebody else changes the same file on the main branch meanwhile. */
export const rival: Agent = async (_, { stage }) => {
  await stage.commit('main', { 'src/search.py': 'def other():\n    pass\n' });
  return approve();
};

/** Takes the main branch in, and keeps what was written here. */
export const merges: Agent = async (_, { git }) => {
  await git('fetch', '--quiet', 'origin');
  await git('merge', '--quiet', '--no-edit', '-X', 'ours', 'origin/main');
  await git('push', '--quiet', 'origin', BRANCH);
  return done();
};

/** Says that what is there is good enough. */
export const stubborn: Agent = () => done();

/** Lets CI fail for what it pushes. */
export const red: Agent = async (request, project) => {
  const answer = await privately(request, project);
  await project.stage.check(BRANCH, { name: 'ci', status: 'completed', conclusion: 'failure' });
  return answer;
};

/** Approves, and the forge will say that the merge conflicts. */
export const conflicting: Agent = (_, { stage }) => {
  stage.forge.control.conflictNextMerge();
  return approve();
};

/** Does not mend the conflict. */
export const givesUp: Agent = (request, project) => {
  project.stage.forge.control.conflictNextMerge();
  return fails(request, project);
};

/** The forge goes away while the review is on. */
export const away: Agent = (_, { stage }) => {
  stage.forge.control.unavailable(true);
  return approve();
};
