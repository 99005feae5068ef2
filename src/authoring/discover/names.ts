// Owns the top-level names of a module: where each was imported from, and which expression a constant stands for.

import type { AnyNode, ImportDeclaration, ObjectExpression, Program, Property } from 'acorn';

/** Where an imported name comes from; a namespace is imported as `*`. */
export interface ImportedName {
  readonly source: string;
  readonly name: string;
}

/** The names of a module. */
export class ModuleNames {
  readonly imports = new Map<string, ImportedName>();
  /** Constants and functions. */
  readonly constants = new Map<string, AnyNode>();

  constructor(tree: Program) {
    for (const statement of tree.body) {
      const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
      if (node?.type === 'ImportDeclaration') this.addImports(node);
      else if (node?.type === 'FunctionDeclaration' && node.id) this.constants.set(node.id.name, node);
      else if (node?.type === 'VariableDeclaration' && node.kind === 'const')
        for (const { id, init } of node.declarations) if (id.type === 'Identifier' && init) this.constants.set(id.name, init);
    }
  }

  private addImports({ specifiers, source }: ImportDeclaration): void {
    for (const specifier of specifiers) {
      const name =
        specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : specifier.type === 'ImportDefaultSpecifier' ? 'default' : '*';
      this.imports.set(specifier.local.name, { source: String(source.value), name: name ?? '' });
    }
  }

  /** Resolves a name to its expression, through constants that refer to each other. */
  follow(node: AnyNode): AnyNode {
    let current = node;
    for (let hops = 0; current.type === 'Identifier' && hops < 100; hops += 1) {
      const value = this.constants.get(current.name);
      if (value === undefined) return current;
      current = value;
    }
    return current;
  }

  /** The original name of an imported expression, such as `defineWorkflow`, also if it was renamed or is in a namespace. */
  imported(node: AnyNode): ImportedName | undefined {
    if (node.type === 'Identifier') return this.imports.get(node.name);
    if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier' || node.computed) return undefined;
    const space = this.imports.get(node.object.name);
    const name = nameOf(node.property);
    return space?.name === '*' && name !== undefined ? { source: space.source, name } : undefined;
  }

  /** The string of a literal expression; undefined if it is computed. */
  text(node: AnyNode | undefined): string | undefined {
    const value = node === undefined ? undefined : this.follow(node);
    if (value?.type === 'Literal' && typeof value.value === 'string') return value.value;
    return value?.type === 'TemplateLiteral' && value.expressions.length === 0 ? (value.quasis[0]?.value.cooked ?? undefined) : undefined;
  }
}

/** The name that an identifier, a key or a quoted name stands for. */
export function nameOf(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' ? String(node.value) : undefined;
}

/** The property of an object with a key; the last one if there are several. */
export function propertyOf(object: ObjectExpression | undefined, key: string): Property | undefined {
  return object?.properties.findLast(
    (property): property is Property => property.type === 'Property' && !property.computed && nameOf(property.key) === key,
  );
}
