// Owns the rules of the Agent Skills format for the name and the description of a skill.

const NAME_MAX = 64;
const DESCRIPTION_MAX = 1024;

/** The fault of a name, if any. */
export function nameFault(name: string): string | undefined {
  if (name.length > NAME_MAX) return `the name has ${name.length} characters; at most ${NAME_MAX} are allowed`;
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return undefined;
  return `the name "${name}" must be lower case letters, digits and single hyphens, such as "commit-message"`;
}

/** The fault of a description, if any. */
export function descriptionFault(description: string): string | undefined {
  if (description.trim() === '') return 'the description is empty; say what the skill does and when to use it';
  if (description.length <= DESCRIPTION_MAX) return undefined;
  return `the description has ${description.length} characters; at most ${DESCRIPTION_MAX} are allowed`;
}
