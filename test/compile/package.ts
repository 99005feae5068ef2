// Owns a copy of the package as users install it, with its types only, and compiling programs against it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from '../../scripts/bundle.js';
import { writeDeclarations } from '../../scripts/declarations.js';

/** One message of the compiler: where, and all its lines. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The compilers that the types are for. */
export const COMPILERS = { newest: 'typescript', '5.9': 'typescript-5.9' } as const;

/** A version of TypeScript. */
export type Compiler = keyof typeof COMPILERS;
/** A way to find modules. */
export type Resolution = 'nodenext' | 'bundler';

/** Where programs are that import the package. */
export class PackageFolder {
  readonly folder = join(root, 'node_modules', '.cache', `pawl-types-${process.pid}`);

  /** Writes the declarations, as the build does. */
  constructor() {
    const installed = join(this.folder, 'node_modules', 'pawl');
    mkdirSync(installed, { recursive: true });
    cpSync(join(root, 'package.json'), join(installed, 'package.json'));
    writeDeclarations(join(installed, 'dist'));
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "module" }\n');
  }

  /** The folder of the declarations. */
  get declarations(): string {
    return join(this.folder, 'node_modules', 'pawl', 'dist');
  }

  /** Writes a program. */
  write(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Compiles everything that was written, and the declarations of the package with it. */
  check(compiler: Compiler, resolution: Resolution, programs: readonly string[] = ['*.ts']): Diagnostic[] {
    return this.compile(compiler, programs, {
      target: 'es2022',
      lib: ['es2024', 'esnext.disposable'],
      module: resolution === 'nodenext' ? 'nodenext' : 'preserve',
      moduleResolution: resolution,
      types: ['node'],
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    });
  }

  /** The same in a project without the types of Node, whose settings name a target and nothing newer. */
  checkPlain(compiler: Compiler, programs: readonly string[]): Diagnostic[] {
    const options = { target: 'es2022', module: 'nodenext', types: [], strict: true, noEmit: true, skipLibCheck: false };
    return this.compile(compiler, programs, options);
  }

  /** Compiles programs as those of a library, whose declarations must name every type of what it exports. */
  writeDeclarations(compiler: Compiler, programs: readonly string[]): Diagnostic[] {
    return this.compile(compiler, programs, {
      target: 'es2022',
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: this.folder,
      outDir: join(this.folder, 'emitted'),
      skipLibCheck: true,
    });
  }

  private compile(compiler: Compiler, programs: readonly string[], options: object): Diagnostic[] {
    const config = join(this.folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: options, include: programs }));
    const { stdout } = runCompiler(compiler, ['-p', config, '--pretty', 'false']);
    return stdout
      .trim()
      .split(/\n(?! )/)
      .flatMap((text) => {
        const [, file = '', line = '', message = ''] = /^(\S.*?)\((\d+),\d+\): error TS\d+: (.*)$/s.exec(text) ?? [];
        if (file !== '') return [{ file: basename(file), line: Number(line), message }];
        return text === '' ? [] : [{ file: '', line: 0, message: text }];
      });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function runCompiler(compiler: Compiler, args: readonly string[]) {
  return spawnSync(process.execPath, [join(root, 'node_modules', COMPILERS[compiler], 'bin', 'tsc'), ...args], { encoding: 'utf8' });
}
