// The commands that keep the house in order.

import { type CommandSpec, SIGNING_OPTIONS, TOKEN_FILE } from '../command.ts';

/** The commands of this group. */
export const KEEP: readonly CommandSpec[] = [
  {
    name: 'doctor',
    group: 'Keep',
    summary: 'look whether everything is in order, and say where the state is',
    about:
      'Looks at Node, the project, its settings, the database with every run in it, who drives what, and what was left behind. Each line is ok, a warning or a problem with what to do about it. Changes nothing.',
    examples: [
      { line: 'pawl doctor', about: 'where is my state, and is it sound?' },
      { line: 'pawl doctor --json', about: 'the same for a program; the exit code is 1 when something was found' },
    ],
    load: () => import('../commands/doctor.ts'),
  },
  {
    name: 'backup',
    group: 'Keep',
    summary: 'copy the database of runs while they go on, and verify the copy',
    args: [{ name: 'FILE', about: 'where to; without it beside the database, named after the time', completes: 'file' }],
    options: [{ name: 'force', about: 'overwrite FILE if it exists' }],
    examples: [
      { line: 'pawl backup', about: 'a copy beside the database' },
      { line: 'pawl backup /mnt/safe/runs.db', about: 'a copy elsewhere' },
    ],
    load: () => import('../commands/backup.ts'),
  },
  {
    name: 'restore',
    group: 'Keep',
    summary: 'put a backup in the place of the database',
    about:
      'Verifies the backup first, keeps the present database as a backup of its own, and then takes its place at once or not at all. What happened after the backup was made is not in it: look at the runs that were open before you resume them.',
    args: [{ name: 'FILE', about: 'the backup', required: true, completes: 'file' }],
    options: [
      { name: 'force', about: 'restore although a process drives a run of the present database, or it cannot be read' },
      TOKEN_FILE,
      ...SIGNING_OPTIONS,
    ],
    examples: [{ line: 'pawl restore /mnt/safe/runs.db', about: 'go back to that copy' }],
    load: () => import('../commands/restore.ts'),
  },
  {
    name: 'db',
    group: 'Keep',
    summary: 'check or migrate the database of runs, or adopt a copy of it',
    about:
      'Adopting makes a database yours: one that was moved or copied, or that was made under another state folder, such as one that came with a repository. Until then it can be looked at, and nothing in it goes on. A database of others is adopted at a terminal only.',
    args: [{ name: 'ACTION', about: 'what to do', required: true, choices: ['check', 'migrate', 'adopt'] }],
    options: [TOKEN_FILE, ...SIGNING_OPTIONS],
    examples: [
      { line: 'pawl db check', about: 'verify the file, every log, every value and every checkpoint' },
      { line: 'pawl db migrate', about: 'bring the file to the version of this Pawl, after a backup' },
      { line: 'pawl db adopt', about: 'this database was moved here or came from elsewhere, and its runs may go on' },
    ],
    load: () => import('../commands/db.ts'),
  },
  {
    name: 'config',
    group: 'Keep',
    summary: 'show the settings in force, and where each came from',
    about:
      'Settings are read from options, PAWL_... variables, .pawl/config.local.yaml, .pawl/config.yaml and ~/.config/pawl/config.yaml; the first that has one wins. A file that comes with a project can lower limits of yours, and never raise them. config.local.yaml counts as yours while its content is trusted ("pawl trust").',
    args: [{ name: 'KEY', about: 'only this setting, such as limits.global' }],
    options: [{ name: 'show-origin', about: 'the file and line of each, and those that are overridden' }],
    examples: [
      { line: 'pawl config --show-origin', about: 'which file said so?' },
      { line: 'pawl config limits.global', about: 'one value' },
    ],
    load: () => import('../commands/config.ts'),
  },
  {
    name: 'prune',
    group: 'Keep',
    summary: 'remove old runs that have ended, and what only they used',
    about:
      'Removes a run together with the runs it started. A run stays while it is open, driven or has mail, and while a run that was forked from it stays.',
    options: [
      { name: 'older-than', value: 'AGE', about: 'only runs that ended so long ago, such as 30d; required' },
      {
        name: 'status',
        value: 'STATUS',
        about: 'only runs that ended so, instead of completed, overridden, rejected and cancelled; may be given several times',
        many: true,
        choices: ['completed', 'overridden', 'rejected', 'cancelled', 'failed', 'escalated'],
      },
      { name: 'keep', value: 'N', about: 'keep the newest N of each workflow whatever their age' },
      { name: 'dry-run', about: 'only show what would be removed' },
      { name: 'yes', short: 'y', about: 'do not ask' },
      { name: 'vacuum', about: 'make the file smaller afterwards; takes a while' },
      TOKEN_FILE,
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl prune --older-than 30d --dry-run', about: 'what would go?' },
      { line: 'pawl prune --older-than 30d --keep 10 --yes', about: 'for a timer: no question' },
    ],
    load: () => import('../commands/prune.ts'),
  },
  {
    name: 'completion',
    group: 'Keep',
    summary: 'print a script that completes words of pawl in a shell',
    about:
      'The script asks Pawl what can come next while you type: commands, options, their values, runs, workflows and steps. Workflows are read, and none of their code is run.',
    args: [{ name: 'SHELL', about: 'the shell', required: true, choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      { line: 'pawl completion bash > ~/.local/share/bash-completion/completions/pawl', about: 'bash' },
      { line: 'pawl completion zsh > ~/.zfunc/_pawl', about: 'zsh, with ~/.zfunc on the fpath' },
      { line: 'pawl completion fish > ~/.config/fish/completions/pawl.fish', about: 'fish' },
    ],
    load: () => import('../commands/completion.ts'),
  },
];
