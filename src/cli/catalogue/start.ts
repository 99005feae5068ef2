// The commands a newcomer begins with.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const START: readonly CommandSpec[] = [
  {
    name: 'demo',
    group: 'Start',
    summary: 'watch an agent claim success, and the engine look for itself',
    about:
      'Makes a tiny project with a bug in a temporary folder and runs a real workflow on it: a scripted agent, real tests as a gate, a decision that is yours. No key, no account, no network. What it made stays, with the commands to look at it.',
    options: [
      { name: 'keep', value: 'DIR', about: 'put project and database into this new or empty folder', completes: 'folder' },
      { name: 'no-pause', about: 'print without pauses for reading' },
    ],
    examples: [
      { line: 'pawl demo', about: 'about ten seconds, and one question for you' },
      { line: 'pawl demo --keep demo', about: 'keep what it makes in a folder of yours' },
    ],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'init',
    group: 'Start',
    summary: 'write a first workflow and its settings into .pawl/',
    about:
      'Writes a workflow of five steps that runs as it is, a file of settings, and what an editor needs to know the types. Files that are there already are left alone.',
    args: [{ name: 'NAME', about: 'the name of the workflow (notes)' }],
    options: [
      { name: 'js', about: 'JavaScript instead of TypeScript' },
      { name: 'yaml', about: 'a workflow file instead of a module; its first line tells an editor where its schema is' },
      { name: 'claude', about: 'instead: a skill, the MCP server and a Stop hook, so that Claude Code works on runs' },
      { name: 'dry-run', about: 'only say what would be written' },
    ],
    examples: [
      { line: 'pawl init', about: 'then: pawl run notes' },
      { line: 'pawl init release --js', about: 'a workflow of another name, in JavaScript' },
      { line: 'pawl init --yaml', about: 'the same story as a workflow file' },
      { line: 'pawl init --claude --dry-run', about: 'what would be written for Claude Code' },
    ],
    load: () => import('../commands/init.ts'),
  },
];
