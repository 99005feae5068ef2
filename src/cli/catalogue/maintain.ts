// The commands that maintain the setup and the database.

import { type CommandSpec, inGroup, RIGHT_OPTIONS } from '../command.ts';

/** The commands that maintain the setup and the database. */
export const MAINTAIN: readonly CommandSpec[] = inGroup('Maintain', [
  {
    name: 'doctor',
    summary: 'check the setup, and show where the state is kept',
    about:
      'Checks Node, the project, its settings, the database and every run in it, which processes drive runs, and leftover files. Each line is ok, a warning or a problem, with what to do about it. Changes nothing. With --repair it also writes everything in a damaged database that can be read and verified to a new file, one JSON object per run.',
    options: [{ name: 'repair', about: 'save what can be read from the database to a new file next to it' }],
    examples: [
      { line: 'pawl doctor', about: 'where is my state, and is it intact?' },
      { line: 'pawl doctor --repair', about: 'save what can be read from a damaged database' },
      { line: 'pawl doctor --json', about: 'for a program; the exit code is 1 when there is a problem' },
    ],
    load: () => import('../commands/doctor.ts'),
  },
  {
    name: 'backup',
    summary: 'copy the database while runs continue, and verify the copy',
    args: [{ name: 'FILE', about: 'the file to write (default: next to the database, named after the time)', completes: 'file' }],
    options: [{ name: 'force', about: 'overwrite FILE if it exists' }],
    examples: [
      { line: 'pawl backup', about: 'a copy next to the database' },
      { line: 'pawl backup /mnt/safe/runs.db', about: 'a copy elsewhere' },
    ],
    load: () => import('../commands/backup.ts'),
  },
  {
    name: 'restore',
    summary: 'replace the database with a backup',
    about:
      'Verifies the backup, saves the current database as another backup, and then replaces it in one step. Anything that happened after the backup was made is lost: check the runs that were open before you resume them.',
    args: [{ name: 'FILE', about: 'the backup', required: true, completes: 'file' }],
    options: [
      { name: 'force', about: 'restore even if a process drives a run of the current database, or the database cannot be read' },
      ...RIGHT_OPTIONS,
    ],
    examples: [{ line: 'pawl restore /mnt/safe/runs.db', about: 'go back to that copy' }],
    load: () => import('../commands/restore.ts'),
  },
  {
    name: 'db',
    summary: 'check, migrate or adopt the database',
    about:
      'A database that was moved, copied, or created under another state folder (such as one that came with a repository) can be read, but its runs do not continue until you adopt it. A database from someone else can only be adopted at a terminal.',
    args: [{ name: 'ACTION', about: 'what to do', required: true, choices: ['check', 'migrate', 'adopt'] }],
    options: RIGHT_OPTIONS,
    examples: [
      { line: 'pawl db check', about: 'verify the file, every log, every value and every checkpoint' },
      { line: 'pawl db migrate', about: 'back up the file, then migrate it to the format of this version' },
      { line: 'pawl db adopt', about: 'the database was moved here; its runs can then continue' },
    ],
    load: () => import('../commands/db.ts'),
  },
  {
    name: 'data',
    summary: 'migrate, back up, restore or compare protected databases',
    about:
      'Works on the SQLite files listed in the setting "databases". A backup is verified before it is used. A migration first makes a backup and then runs in one transaction; a migration that drops or deletes anything needs --allow-loss. A restore first backs up the current database.',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ['status', 'migrate', 'backup', 'restore', 'diff'] },
      {
        name: 'NAME',
        about:
          'status, migrate, backup: a database (default: all). restore, diff: a backup, given by its id, by its file, or by the run before which it was made (diff default: the newest)',
      },
    ],
    options: [
      { name: 'database', value: 'NAME', about: 'restore, diff: only this database; needed with a file if there are several' },
      { name: 'allow-loss', about: 'migrate: also apply files that drop tables or columns, or delete rows' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl data status', about: 'which migrations are applied, and what is backed up?' },
      { line: 'pawl data migrate book', about: 'back up the database, then apply new migrations' },
      { line: 'pawl data backup', about: 'a verified copy of each database' },
      { line: 'pawl data diff', about: 'what changed since the newest backup?' },
      { line: 'pawl data restore 4f2a', about: 'restore a backup' },
    ],
    load: () => import('../commands/data.ts'),
  },
  {
    name: 'config',
    summary: 'show the effective settings and where each comes from',
    about:
      'Settings come from options, PAWL_... variables, .pawl/config.local.yaml, .pawl/config.yaml and ~/.config/pawl/config.yaml; the first that has a setting wins. A file in the project can lower your limits, but not raise them. config.local.yaml counts as yours while its content is trusted ("pawl trust").',
    args: [{ name: 'KEY', about: 'show only this setting, such as limits.global' }],
    options: [{ name: 'show-origin', about: 'show the file and line of each setting, and overridden ones' }],
    examples: [
      { line: 'pawl config --show-origin', about: 'which file sets what?' },
      { line: 'pawl config limits.global', about: 'one value' },
    ],
    load: () => import('../commands/config.ts'),
  },
  {
    name: 'prune',
    summary: 'delete old runs that have ended',
    about:
      'Deletes a run together with its child runs and the data that only they use. Keeps every run that is open, is driven by a process, can still be resumed and has unprocessed requests, or has a fork that is kept.',
    options: [
      { name: 'older-than', value: 'AGE', about: 'only runs that ended at least this long ago, such as 30d; required' },
      {
        name: 'status',
        value: 'STATUS',
        about: 'only runs with this status (default: completed, overridden, rejected and cancelled); can be repeated',
        many: true,
        choices: ['completed', 'overridden', 'rejected', 'cancelled', 'failed', 'escalated'],
      },
      { name: 'keep', value: 'N', about: 'always keep the newest N runs of each workflow' },
      { name: 'dry-run', about: 'only show what would be deleted' },
      { name: 'yes', short: 'y', about: 'do not ask for confirmation' },
      { name: 'vacuum', about: 'shrink the file afterwards, which takes a while' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl prune --older-than 30d --dry-run', about: 'what would be deleted?' },
      { line: 'pawl prune --older-than 30d --keep 10 --yes', about: 'for a scheduled job, without confirmation' },
    ],
    load: () => import('../commands/prune.ts'),
  },
  {
    name: 'worktrees',
    summary: 'list and remove the worktrees and branches that runs left',
    about:
      'Lists each with its run, its size and the work that exists only there. With --clean it removes those of runs that have ended or were deleted. It keeps those of runs that can still continue and, unless --force is given, those with work that was not committed or not pushed.',
    options: [
      { name: 'clean', about: 'remove those of ended runs, if nothing is lost' },
      { name: 'force', about: 'with --clean: also remove those with work that exists only there' },
      { name: 'yes', short: 'y', about: 'with --force: confirm it without a terminal' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl worktrees', about: 'what exists, and what would be lost?' },
      { line: 'pawl worktrees --clean', about: 'remove those that are no longer needed' },
    ],
    load: () => import('../commands/worktrees.ts'),
  },
  {
    name: 'uninstall',
    summary: 'list what Pawl wrote here, and remove it',
    about:
      'Removes the runs and worktrees of this project, the hook, MCP server and skill for Claude Code, completion scripts, and unchanged files of "pawl init". Your workflows and settings are kept and listed. Stops if a process drives a run. With --user it also removes the state of this user: all runs of all projects, trust, keys, tokens and settings.',
    options: [
      { name: 'user', about: "also remove this user's state and settings, in all projects" },
      { name: 'dry-run', about: 'only show what would be removed' },
      { name: 'yes', short: 'y', about: 'do not ask for confirmation' },
      ...RIGHT_OPTIONS,
    ],
    examples: [
      { line: 'pawl uninstall --dry-run', about: 'what has Pawl written here?' },
      { line: 'pawl uninstall --user', about: 'remove everything, in all projects' },
    ],
    load: () => import('../commands/uninstall.ts'),
  },
  {
    name: 'completion',
    summary: 'print the completion script for a shell',
    about:
      'The script completes commands, options, their values, runs, workflows and steps as you type. Workflows are parsed, never executed.',
    args: [{ name: 'SHELL', about: 'the shell', required: true, choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      { line: 'pawl completion bash > ~/.local/share/bash-completion/completions/pawl', about: 'bash' },
      { line: 'pawl completion zsh > ~/.zfunc/_pawl', about: 'zsh, with ~/.zfunc on the fpath' },
      { line: 'pawl completion fish > ~/.config/fish/completions/pawl.fish', about: 'fish' },
    ],
    load: () => import('../commands/completion.ts'),
  },
]);
