// Parses the configuration of an application's kind or check: with its function, or with its schema.

/** A schema by the Standard Schema interface, as zod, valibot and arktype make them: the types of its input and of its output. */
export interface ConfigSchema<Written, Config> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaVerdict<Config> | Promise<SchemaVerdict<Config>>;
    readonly types?: { readonly input: Written; readonly output: Config } | undefined;
  };
}

/** The result of a schema: the value, or its faults. */
export type SchemaVerdict<Config> =
  | { readonly value: Config; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** Returns the configuration for an input, or throws an error that says what is wrong. */
export type ConfigParser<Written, Config> = ((written: Written) => Config) | ConfigSchema<Written, Config>;

/** The type of the input: a parser of anything accepts the type that it returns. */
export type WrittenFor<Written, Config> = unknown extends Written ? Config : Written;

/** Parses a configuration. */
export function parseConfig<Written, Config>(parser: ConfigParser<Written, Config>, written: unknown): Config {
  if (!('~standard' in parser)) return parser(written as Written);
  const verdict = parser['~standard'].validate(written);
  if ('then' in verdict) throw new Error('the schema must not be asynchronous, because a workflow is checked when it is defined');
  if (verdict.issues === undefined) return verdict.value;
  throw new Error(
    verdict.issues.map(({ message, path = [] }) => (path.length === 0 ? message : `\`${pathText(path)}\`: ${message}`)).join('; '),
  );
}

function pathText(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
