// `pawl debug RUN`: writes everything that a maintainer needs to understand a run to one file, without secrets.
//
// - Masked are the values of the project's secrets, of variables whose names suggest a secret, and tokens of known services,
//   in every form that the redactor recognises.

import { relative, resolve } from 'node:path';
import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { readRunReport } from '../../control/run/report.ts';
import { readTranscript, transcriptsOf } from '../../engine/transcript/transcripts.ts';
import { KNOWN_TOKENS } from '../../process/known-tokens.ts';
import { createRedactor, type Redactor } from '../../process/redact.ts';
import { Secrets } from '../../steps/secrets.ts';
import type { Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { checkProgram, checkSetup } from '../doctor/doctor.ts';
import { checkRoles } from '../doctor/roles.ts';
import { writeOutput } from '../output-file.ts';
import { versionOf } from '../package.ts';
import { accountHome } from '../project.ts';
import { type Setup, withRun } from '../session.ts';
import { readOrigins } from '../settings/settings.ts';
import { SCHEMA_VERSION, type Shell } from '../shell.ts';

const TEXT_MAX = 65_536;
const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|session/i;

/** Runs the command. */
export const run: CommandRun = (shell, args) =>
  withRun(
    shell,
    async ({ setup, store, id }) => {
      const file = resolve(shell.cwd, args.option('out') ?? `pawl-debug-${id}.json`);
      const redactor = await redactorFor(shell, setup);
      const bundle = clean(await bundleOf(shell, setup, { store, id }), maskOf(redactor));
      writeOutput(file, `${JSON.stringify(bundle, null, 2)}\n`, { label: 'the report', isNew: true, mode: 0o600 });
      return shell.result({ run: id, file }, () => [
        `Wrote ${relative(shell.cwd, file)}`,
        'Known secrets are masked. The file contains prompts, outputs and paths of this run: read it before you share it.',
      ]);
    },
    'read',
  );

async function bundleOf(shell: Shell, setup: Setup, { store, id }: { readonly store: Store; readonly id: string }): Promise<JsonObject> {
  const [report, { definition, state }, events, settings] = await Promise.all([
    readRunReport(store, id),
    store.load(id),
    store.events(id, 0),
    readOrigins(shell, setup.project),
  ]);
  const checks = [
    ...checkProgram(shell),
    ...(await checkSetup(shell, shell.args)).checks,
    ...(await checkRoles(setup.project, setup.settings, shell.env)),
  ];
  const transcripts = report.steps.flatMap(({ path, attempt }) => {
    const lines = readTranscript(transcriptsOf(setup.file), { run: id, path, attempt });
    return lines === undefined ? [] : [{ path, attempt, lines }];
  });
  const bundle = {
    schemaVersion: SCHEMA_VERSION,
    pawl: versionOf(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    checks,
    settings: settings.map(({ key, value, layer, file, isInForce }) => ({ key, value, layer, file, isInForce })),
    definition,
    state,
    events,
    report,
    transcripts,
  };
  return toPlain(JSON.parse(JSON.stringify(bundle)), 'the bundle') as JsonObject;
}

async function redactorFor(shell: Shell, { settings: { secrets = {} } }: Setup): Promise<Redactor> {
  const known = new Secrets(secrets);
  const values: Record<string, string[]> = {};
  for (const name of Object.keys(secrets)) {
    try {
      values[name] = [await known.value(name)];
    } catch (error) {
      shell.warn(`the value of secret "${name}" cannot be read, so it is not masked: ${messageOf(error)}`);
    }
  }
  for (const [name, value] of Object.entries(shell.env)) if (value !== undefined && SECRET_NAME.test(name)) values[name] ??= [value];
  return createRedactor(values);
}

function maskOf(redactor: Redactor): (text: string) => string {
  const home = accountHome();
  return (text) => {
    // Masked before it is truncated, so that no part of a secret is left at the end.
    const masked = redactor.text(text).replace(KNOWN_TOKENS, '[masked]');
    const short = masked.length > TEXT_MAX ? `${masked.slice(0, TEXT_MAX)} … (${masked.length - TEXT_MAX} more characters)` : masked;
    return home === undefined || home === '/' ? short : short.replaceAll(home, '~');
  };
}

function clean(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item: Json) => clean(item, mask));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), clean(item, mask)]));
}
