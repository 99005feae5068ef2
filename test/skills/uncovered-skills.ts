// Owns the question which skills of the catalogue no test reads.

/** The skills whose module no test imports. A file is named relative to the catalogue. */
export function uncoveredSkills(skills: readonly string[], tests: readonly { readonly file: string; readonly text: string }[]): string[] {
  return skills.filter((name) => {
    const fromElsewhere = new RegExp(`['"\`](?:[^'"\`\\s]*/)?${name}/skill\\.ts['"\`]`);
    return !tests.some(
      ({ file, text }) => fromElsewhere.test(text) || (file.startsWith(`${name}/`) && /['"`]\.\/skill\.ts['"`]/.test(text)),
    );
  });
}
