// The commands for a newcomer.

import { type CommandSpec, inGroup } from '../command.ts';

/** The commands for newcomers. */
export const START: readonly CommandSpec[] = inGroup('Start', [
  {
    name: 'demo',
    summary: 'watch the engine check what an agent claims',
    about:
      'Creates a small project with a bug in a temporary folder and runs a real workflow on it: a scripted agent, real tests as a gate, and a decision for you to make. It needs no API key, no account and no network. The project is kept, and the commands to look at it are printed.',
    options: [
      {
        name: 'keep',
        value: 'DIR',
        about: 'create the project and its database in this folder, which must be new or empty',
        completes: 'folder',
      },
      { name: 'no-pause', about: 'print without pauses for reading' },
    ],
    examples: [
      { line: 'pawl demo', about: 'about ten seconds, and one question for you' },
      { line: 'pawl demo --keep demo', about: 'keep the project in this folder' },
    ],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'init',
    summary: 'write a first workflow and its settings into .pawl/',
    about:
      'Writes a workflow of five steps that runs as it is, a settings file, and type information for your editor. With --template it writes a workflow that works with issues and pull requests, its roles, settings for a forge, and a script that plays the agents until you configure real ones. Existing files are not changed.',
    args: [{ name: 'NAME', about: 'the name of the workflow (default: notes, or that of the template)' }],
    options: [
      { name: 'js', about: 'write JavaScript instead of TypeScript' },
      { name: 'yaml', about: 'write YAML instead of TypeScript; its first line names the schema for your editor' },
      {
        name: 'template',
        value: 'TEMPLATE',
        about: 'write a workflow for issues and pull requests',
        choices: ['review-pipeline', 'feature-development', 'bug-fix', 'security-sensitive', 'custom'],
      },
      { name: 'repo', value: 'OWNER/NAME', about: 'with --template: set it up for this repository at GitHub instead of a local forge' },
      {
        name: 'github-actions',
        about: 'write .github/workflows/pawl.yml, which runs Pawl on events of the repository without a server; alone, or with --template',
      },
      { name: 'claude', about: 'instead, set up Claude Code to work on runs: the command /pawl, the MCP server and hooks' },
      { name: 'codex', about: 'the same for Codex' },
      { name: 'gemini', about: 'the same for Gemini CLI' },
      { name: 'opencode', about: 'the same for OpenCode' },
      { name: 'yes', short: 'y', about: 'add what is missing to settings that exist, without asking' },
      { name: 'dry-run', about: 'only show which files would be written' },
    ],
    examples: [
      { line: 'pawl init', about: 'then: pawl run notes' },
      { line: 'pawl init release --js', about: 'a workflow with another name, in JavaScript' },
      { line: 'pawl init --yaml', about: 'the same workflow in YAML' },
      { line: 'pawl init --template bug-fix', about: 'from an issue to a merged pull request, on this machine' },
      { line: 'pawl init --template feature-development --repo octo/project', about: 'the same at GitHub' },
      { line: 'pawl init --template bug-fix --repo octo/project --github-actions', about: 'and without a server' },
      { line: 'pawl init --claude --codex', about: 'set up Claude Code and Codex to work on runs' },
      { line: 'pawl init --claude --dry-run', about: 'what would be written for Claude Code' },
    ],
    load: () => import('../commands/init.ts'),
  },
]);
