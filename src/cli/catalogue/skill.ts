// The command for skills.

import { type CommandSpec, inGroup } from '../command.ts';

/** The command for skills. */
export const SKILL: readonly CommandSpec[] = inGroup('Define', [
  {
    name: 'skill',
    summary: 'list, show, check, write and install skills: step-by-step instructions for agents',
    about:
      'A skill is a folder in .pawl/skills with a module (skill.ts or skill.mjs) that exports defineSkill({ … }), and a SKILL.md; others come with Pawl. "list" runs no code. "show" lists the steps, or prints one for people. "lint" exits with 1 if it finds a problem. "new" writes a first skill. "install" writes a SKILL.md for the named skills, or for all, into the folders that agent programs read; this SKILL.md starts the skill as a run (with --stateless, step by step without a run). "export" does the same for a workflow. Both keep files that a person wrote or changed, and "uninstall" removes only what they wrote. "resource" lists the conventions and formats that come with Pawl, or prints one. "step" prints one step for an agent: the same command always prints the same bytes and opens no database. "show", "lint", "install" and "step" load the skill, so a skill of the project must be trusted (see "pawl trust").',
    args: [
      {
        name: 'ACTION',
        about: 'what to do',
        required: true,
        choices: ['list', 'show', 'lint', 'new', 'install', 'uninstall', 'export', 'resource', 'step'],
      },
      { name: 'NAME', about: 'the name of a skill; of a workflow for "export", of a text for "resource"', many: true, completes: 'skill' },
    ],
    options: [
      { name: 'step', value: 'N', about: 'the number of the step, from 1' },
      { name: 'total-steps', value: 'N', about: 'how many steps the caller expects; another number is an error' },
      { name: 'param', short: 'p', value: 'NAME=VALUE', about: 'a parameter of the skill', many: true },
      { name: 'mode', value: 'MODE', about: 'the parameter "mode" of the skill' },
      { name: 'decision', value: 'TEXT', about: 'the parameter "decision" of the skill' },
      { name: 'confidence', value: 'WORD', about: 'how sure the agent is: exploring, low, medium, high or certain' },
      { name: 'iteration', value: 'N', about: 'which visit of a repeated step this is, from 1' },
      { name: 'qr-iteration', value: 'N', about: 'the round of a review loop, from 1' },
      {
        name: 'qr-fail',
        value: 'BOOL',
        alone: 'true',
        about: 'this visit of the step fixes what a review found',
        choices: ['true', 'false'],
      },
      { name: 'qr-status', value: 'STATUS', about: 'how the review ended', choices: ['pass', 'fail'] },
      {
        name: 'claude',
        about: 'install for Claude Code, in .claude/skills (default: for the programs whose folder exists, else --agents)',
      },
      { name: 'codex', about: 'install for Codex, in .agents/skills' },
      { name: 'gemini', about: 'install for Gemini CLI, in .gemini/skills' },
      { name: 'opencode', about: 'install for OpenCode, in .opencode/skills' },
      { name: 'agents', about: 'install for all programs that read .agents/skills: Codex, Gemini CLI, OpenCode and others' },
      { name: 'user', about: 'install in your home folder, for all projects' },
      { name: 'to', value: 'DIR', about: 'install into this folder', completes: 'folder' },
      { name: 'stateless', about: 'install the form without a run, which calls "pawl skill step"' },
      { name: 'force', about: 'also replace or remove files that a person changed' },
      { name: 'dry-run', about: 'only list what would be written or removed' },
      { name: 'copy', about: 'with "resource": print it with markers that let "lint" find an outdated copy' },
      { name: 'format', value: 'FORMAT', about: 'the output format of "step" (default: xml)', choices: ['xml', 'text', 'json'] },
    ],
    examples: [
      { line: 'pawl skill new commit-message', about: 'write a first skill into .pawl/skills/commit-message' },
      { line: 'pawl skill list', about: 'all skills' },
      { line: 'pawl skill lint', about: 'check all skills of this project' },
      { line: 'pawl skill step commit-message --step 1 --total-steps 2', about: 'what an agent reads first' },
      { line: 'pawl skill show commit-message --step 2', about: 'the same for people' },
      { line: 'pawl skill install --claude', about: 'make all skills available to Claude Code' },
      { line: 'pawl skill export fix-bug --to ~/.agents/skills', about: 'a workflow as a skill' },
      { line: 'pawl skill resource severity', about: 'the convention for the severity of a finding' },
    ],
    load: () => import('../commands/skill.ts'),
  },
]);
