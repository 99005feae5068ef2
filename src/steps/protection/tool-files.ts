// Owns the list of settings files that test tools, linters and builders load without being told. A new file can take
// precedence over an existing one, so it counts as a change.

import type { FilePart } from './file-part.ts';
import type { Guard } from './protected-files.ts';

const closed = (...patterns: readonly string[]): Guard[] => patterns.map((pattern) => ({ pattern, isClosed: true }));
const sections = (pattern: string, ...names: readonly string[]): Guard => ({ pattern, isClosed: true, part: { kind: 'sections', names } });
const packageFields: Guard = { pattern: 'package.json', isClosed: true, part: { kind: 'scripts', names: [] } };
const WITHOUT_DEPENDENCIES: FilePart = { kind: 'no-dependencies' };

const PYTEST = [
  // The ones closest to the tests take precedence.
  ...closed('**/{,.}pytest.ini', '**/{,.}pytest.toml', '**/conftest.py', 'sitecustomize.py', 'usercustomize.py', '.coveragerc'),
  sections('**/pyproject.toml', 'tool.pytest', 'tool.coverage'),
  sections('**/setup.cfg', 'tool:pytest', 'coverage', 'tool:coverage'),
  sections('**/tox.ini', 'pytest'),
];
const VITEST = [...closed('{vitest,vite}.config.*', 'vitest.workspace.*', 'vitest.projects.*')];
const JEST = [...closed('jest.config.*', 'jest.setup.*', 'babel.config.*', '.babelrc*'), packageFields];
const MAKE = closed('Makefile', 'makefile', 'GNUmakefile');
const GRADLE = closed('**/build.gradle*', 'settings.gradle*', 'gradle.properties', 'gradlew', 'gradle/wrapper/*');
const MAVEN = closed('**/pom.xml', '.mvn/**', 'mvnw');

/** The settings files by the name of the program, relative to the folder in which it runs. */
export const TOOL_FILES: Readonly<Record<string, readonly Guard[]>> = {
  pytest: PYTEST,
  'py.test': PYTEST,
  unittest: closed('sitecustomize.py', 'usercustomize.py'),
  tox: [...closed('tox.ini'), sections('pyproject.toml', 'tool.tox'), sections('setup.cfg', 'tox'), ...PYTEST],
  nox: closed('noxfile.py'),
  coverage: PYTEST,
  mypy: [...closed('mypy.ini', '.mypy.ini'), sections('pyproject.toml', 'tool.mypy'), sections('setup.cfg', 'mypy')],
  ruff: [...closed('**/{,.}ruff.toml'), sections('**/pyproject.toml', 'tool.ruff')],
  flake8: [...closed('.flake8'), sections('setup.cfg', 'flake8'), sections('tox.ini', 'flake8')],
  vitest: VITEST,
  jest: JEST,
  mocha: [...closed('.mocharc*'), packageFields],
  ava: [...closed('ava.config.*'), packageFields],
  tap: [...closed('.taprc'), packageFields],
  nyc: [...closed('.nycrc*', 'nyc.config.*'), packageFields],
  c8: [...closed('.c8rc*'), packageFields],
  playwright: closed('playwright.config.*'),
  cypress: closed('cypress.config.*', 'cypress.json'),
  karma: closed('karma.conf.*'),
  eslint: [...closed('eslint.config.*', '**/.eslintrc*', '.eslintignore'), packageFields],
  biome: closed('biome.json', 'biome.jsonc'),
  prettier: closed('.prettierrc*', 'prettier.config.*', '.prettierignore'),
  tsc: closed('tsconfig*.json'),
  turbo: closed('turbo.json'),
  nx: closed('nx.json', '**/project.json'),
  lerna: closed('lerna.json'),
  make: MAKE,
  gmake: MAKE,
  just: closed('justfile', 'Justfile', '.justfile'),
  task: closed('Taskfile.y*ml', 'taskfile.y*ml'),
  rake: closed('Rakefile', 'rakefile'),
  rspec: closed('.rspec', 'spec/spec_helper.rb'),
  cargo: [
    { pattern: '**/Cargo.toml', isClosed: false, part: WITHOUT_DEPENDENCIES },
    ...closed('.cargo/config*', 'build.rs', 'rust-toolchain*', '.config/nextest.toml'),
  ],
  deno: closed('deno.json', 'deno.jsonc'),
  composer: closed('composer.json'),
  mix: closed('mix.exs', '.formatter.exs', 'config/*.exs'),
  sbt: closed('build.sbt', 'project/*.sbt', 'project/*.scala', '.sbtopts'),
  bazel: closed('.bazelrc', 'WORKSPACE*', 'MODULE.bazel', '**/BUILD', '**/BUILD.bazel'),
  zig: closed('build.zig', 'build.zig.zon'),
  swift: closed('Package.swift'),
  invoke: closed('tasks.py', 'tasks/**', 'invoke.y*ml'),
  inv: closed('tasks.py', 'tasks/**', 'invoke.y*ml'),
  doit: closed('dodo.py'),
  hatch: [...closed('hatch.toml'), sections('pyproject.toml', 'tool.hatch'), ...PYTEST],
  go: closed('go.work', 'vendor/modules.txt'),
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN,
  phpunit: closed('phpunit.xml*', 'phpunit.dist.xml'),
  cmake: closed('**/CMakeLists.txt', 'CMakePresets.json'),
  ctest: closed('**/CMakeLists.txt', 'CTestConfig.cmake'),
  dotnet: closed('*.sln', '**/*.csproj', 'Directory.Build.*', '*.runsettings'),
  'pre-commit': closed('.pre-commit-config.yaml'),
};
