// `pawl uninstall`: lists the files that Pawl wrote for a project and for this user, and removes them after confirmation.

import { type CommandRun, usageError } from '../command.ts';
import { confirm } from '../decision/prompt.ts';
import { findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { assertMayMaintainFile, assertNotDriven } from '../store-origin.ts';
import { counted } from '../terminal.ts';
import { type Inventory, inventoryOf } from '../written-files.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const inventory = inventoryOf(shell, setup, { user: args.has('user') });
  if (args.has('dry-run')) return report(shell, inventory, { removed: false });
  await assertMayMaintainFile(setup, shell.right);
  await assertNotDriven(setup.file, 'uninstalling would delete its database; end that process first');
  if (inventory.items.length === 0) return report(shell, inventory, { removed: true });
  if (!args.has('yes')) {
    if (!shell.isInteractive)
      throw usageError(
        `${counted(inventory.items.length, 'item')} would be removed for good; use --yes to remove them, or --dry-run to list them`,
      );
    for (const line of planLines(shell, inventory)) shell.print(line);
    if (!(await confirm(shell, 'Remove all of it for good?'))) return report(shell, { items: [], kept: [] }, { removed: true });
  }
  for (const item of inventory.items) await item.remove();
  return report(shell, inventory, { removed: true });
};

function report(shell: Shell, inventory: Inventory, { removed }: { readonly removed: boolean }): number {
  const { kept } = inventory;
  const items = inventory.items.map(({ path, what }) => ({ path, what }));
  return shell.result({ ...(removed ? { removed: items } : { dryRun: true, items }), kept }, () => {
    if (!removed) return planLines(shell, inventory);
    if (items.length === 0) return ['Nothing was removed.'];
    return [
      `${shell.symbol('done')} ${counted(items.length, 'item')} removed`,
      ...keptLines(shell, inventory),
      'The program itself is removed by the tool that installed it, such as "npm uninstall -g pawl".',
    ];
  });
}

function planLines(shell: Shell, inventory: Inventory): string[] {
  const lines = inventory.items.map(({ path, what, isPart }) => {
    return `${isPart === true ? 'edit  ' : 'remove'}  ${shell.shownFile(path)}  ${shell.style('dim', isPart === true ? `without ${what}` : what)}`;
  });
  return [...(lines.length === 0 ? ['There is nothing to remove.'] : lines), ...keptLines(shell, inventory)];
}

function keptLines(shell: Shell, { kept }: Inventory): string[] {
  return kept.map(({ path, why }) => `keep    ${shell.shownFile(path)}  ${shell.style('dim', why)}`);
}
