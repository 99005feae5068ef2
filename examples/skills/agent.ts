// An agent without a model that follows skills: it knows only what Pawl prints. From that text it reads which step is open,
// which documents the step needs and how to report it; it does the work, reports, and continues. The texts that it writes
// were prepared for the small project in `repository`; everything else it reads from the project and from Pawl.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a command of Pawl ended. */
export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A step as the agent understood its text. */
export interface ReadStep {
  readonly skill: string;
  readonly step: string;
  /** Which round of a review or which iteration the text says it is. */
  readonly round: number;
  /** The folder that it works in. */
  readonly folder: string;
  /** The documents that must exist when it is done. */
  readonly documents: readonly string[];
  /** The command that reports it. */
  readonly report: readonly string[];
}

/** The work of a step besides writing its documents. */
export type StepWork = (scene: Scene) => object | undefined;

/** What an agent was prepared for. */
export interface Playbook {
  /** The folder with the prepared documents; those of an earlier round are in `SKILL-ROUND` in it. */
  readonly thoughts: string;
  /** By `skill/step`. It is done before the documents are written, and returns the result of the step, if it has one. */
  readonly work?: Readonly<Record<string, StepWork>>;
}

/** The step that an agent is in. */
export interface Scene extends ReadStep {
  /** Runs a command in the project, records it, and returns how it ended and what it printed. */
  sh(command: string): { readonly status: number; readonly printed: string };
  /** The prepared text for a file. */
  thought(path: string): string;
  write(path: string, text: string): void;
}

/** How the agent runs commands of Pawl, and where it records them. */
export interface ExternalNames {
  pawl(words: readonly string[]): Promise<Printed>;
  note(line: string): void;
}

const STEP = /^Step \d+ of \d+, "([^"]+)",.* of the workflow "([^"]+)" \(run [^)]+\).* Work in the folder (\S+)$/m;

/** The open steps in a text. */
export function readSteps(text: string): ReadStep[] {
  return text.split(/^(?=Step(?: \d+)?: )/m).flatMap((part) => {
    const [, step = '', skill = '', folder = ''] = STEP.exec(part) ?? [];
    const report = /^ {2}pawl (done .*)$/m.exec(part)?.[1]?.split(' ');
    if (step === '' || report === undefined) return [];
    const [, iteration, round, sentFor] = /^Iteration (\d+) of|^Round (\d+) of the review|"round":"?(\d+)/m.exec(part) ?? [];
    const done = /<done_when>\n([\s\S]*?)<\/done_when>/.exec(part)?.[1] ?? '';
    const documents = [...done.matchAll(/^- (\S+\.(?:md|json))(?::|$)/gm)].map(([, path = '']) => path);
    return [{ step, skill, folder, round: Number(iteration ?? round ?? sentFor ?? 1), documents, report }];
  });
}

/** The first commands of the sub-agents that a text asks for. */
export function readDispatches(text: string): string[][] {
  return [...text.matchAll(/^ {2}First do this, then follow the instructions that you get exactly: run `pawl ([^`]+)`/gm)].map(
    ([, command = '']) => command.split(' '),
  );
}

/** An agent from its first command to the end, or until it forgets everything. */
export class Agent {
  private readonly playbook: Playbook;
  private readonly around: ExternalNames;
  /** After this many reports the agent is replaced by one that knows nothing. */
  private left: number;

  constructor(playbook: Playbook, around: ExternalNames, { forgetsAfter = Number.POSITIVE_INFINITY } = {}) {
    this.playbook = playbook;
    this.around = around;
    this.left = forgetsAfter;
  }

  /** Runs a command, does what it prints and what follows, and returns what was printed last. */
  async follow(words: readonly string[]): Promise<string> {
    let text = await this.run(words);
    while (this.left > 0) {
      const [sent] = readDispatches(text);
      const [step] = readSteps(text);
      if (sent !== undefined) {
        this.around.note(`-- a sub-agent is sent: ${shown(['pawl', ...sent])}`);
        await new Agent(this.playbook, this.around).follow(sent);
        this.around.note('-- the sub-agent has returned');
        text = await this.run(['next', /run: pawl next (\S+)/.exec(text)?.[1] ?? '']);
      } else if (step !== undefined) text = await this.carryOut(step);
      else break;
    }
    return text;
  }

  private async carryOut(step: ReadStep): Promise<string> {
    const { skill, step: id, documents, report } = step;
    this.left -= 1;
    const written = new Set<string>();
    const scene = this.sceneOf(step, written);
    const result = this.playbook.work?.[`${skill}/${id}`]?.(scene);
    for (const path of documents) if (!written.has(path)) scene.write(path, scene.thought(path));
    const words =
      result === undefined ? report : [...report.filter((word) => !/^(--result|@.*)$/.test(word)), '--result', JSON.stringify(result)];
    return this.run(words);
  }

  private async run(words: readonly string[]): Promise<string> {
    const { around } = this;
    around.note(`$ ${shown(['pawl', ...words])}`);
    const { code, stdout, stderr } = await around.pawl(words);
    for (const line of headlines(stdout)) around.note(line);
    if (stderr !== '') around.note(stderr.trimEnd());
    if (code !== 0) throw new Error(`pawl ${words.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  private sceneOf(step: ReadStep, written: Set<string>): Scene {
    const { thoughts } = this.playbook;
    const { note } = this.around;
    const { folder, round } = step;
    return {
      ...step,
      sh: (command) => {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env: shellEnv() });
        note(`  runs ${command}  (exit ${status})`);
        return { status: status ?? -1, printed: stdout + stderr };
      },
      thought: (path) => {
        const early = join(thoughts, `${step.skill}-${round}`, path);
        return readFileSync(existsSync(early) ? early : join(thoughts, path), 'utf8');
      },
      write: (path, text) => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        const head = text.includes('<commit>')
          ? spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).stdout.trim()
          : '';
        writeFileSync(join(folder, path), text.replaceAll('<commit>', head));
        written.add(path);
        note(`  writes ${path}`);
      },
    };
  }
}

/** The Node that runs the agent also runs the tests of the project, without the variables of the test around it. */
function shellEnv(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  return { ...env, PATH: `${dirname(process.execPath)}:${env.PATH}`, NODE_NO_WARNINGS: '1' };
}

/** A command as it is shown: long words in quotes. */
function shown(words: readonly string[]): string {
  return words.map((word) => (/[\s"{}]/.test(word) ? `'${word}'` : word)).join(' ');
}

/** The lines of the output that say where the run is. */
function headlines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) =>
      /^(Accepted|Not accepted|Step(?: \d+)?: |Iteration|Round|Run |There is nothing|Nothing|You |An agent that did none|Start a new)/.test(
        line,
      ),
    );
}
