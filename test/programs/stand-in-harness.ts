// Owns the tests' side of stand-ins: a folder in which they leave word, and what the driver suite wants to know of them.

import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { AgentDriver } from '../../src/agents/driver.ts';
import { omitUndefined } from '../../src/base/fields.ts';
import { readProcess } from '../../src/process/process-table.ts';
import { removeFolder } from '../../src/process/remove-folder.ts';
import type { DriverBehaviour, DriverHarness, DriverTrait } from '../../src/proof/driver-suite.ts';

/** How a driver is made for a stand-in: its program, and the variables that tell it how to behave. */
export interface StandInCall {
  readonly argv: readonly [string, string];
  readonly env: Readonly<Record<string, string>>;
}

/** The harness of the driver suite for the stand-in of this name. */
export function standInHarness(name: string, traits: readonly DriverTrait[], create: (call: StandInCall) => AgentDriver): DriverHarness {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-stand-in-'));
  afterAll(() => removeFolder(dir));
  return {
    traits,
    create: (behaviour) => {
      if (behaviour.agent === 'hangs') whenBegun(dir, behaviour.begun);
      return create(standInCall(name, behaviour, dir));
    },
    running: () => pidsIn(dir).filter(isAlive).length,
  };
}

/** How the stand-in of this name is started so that it behaves like this. */
function standInCall(name: string, behaviour: DriverBehaviour, dir: string): StandInCall {
  const script = join(import.meta.dirname, `stand-in-${name}.ts`);
  // A process that has to strip the types itself takes twice as long.
  const cache = omitUndefined({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE });
  return { argv: [process.execPath, script], env: { STAND_IN: JSON.stringify(behaviour), STAND_IN_DIR: dir, ...cache } };
}

function whenBegun(dir: string, begun: () => void): void {
  rmSync(join(dir, 'begun'), { force: true });
  const watcher = watch(dir, (_event, file) => {
    if (file !== 'begun' || !readdirSync(dir).includes('begun')) return;
    watcher.close();
    begun();
  });
  watcher.unref();
}

function pidsIn(dir: string): number[] {
  return readdirSync(dir).flatMap((file) => (file.startsWith('pid-') ? [Number(file.slice(4))] : []));
}

// One that has ended and only waits for its parent to notice does not run.
function isAlive(pid: number): boolean {
  return readProcess(pid)?.ended === false;
}
