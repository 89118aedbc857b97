import { globSync, readFileSync } from 'node:fs';
import { type ESTree, parseSync, Visitor } from 'vite';

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Every module it names: imports, type imports, re-exports, `import()` and `new URL('./x.ts', import.meta.url)`. */
  readonly imports: readonly string[];
  readonly functions: readonly FunctionSize[];
  readonly ruleTags: readonly RuleTag[];
  readonly testCalls: readonly TestCall[];
}

interface FunctionSize {
  readonly line: number;
  readonly lines: number;
}

interface RuleTag {
  readonly rule: string;
  readonly line: number;
  /** What the doc comment stands before; undefined when that has no name. */
  readonly declaration: Declaration | undefined;
}

interface Declaration {
  readonly name: string;
  readonly isFunction: boolean;
}

interface TestCall {
  readonly line: number;
  readonly callee: 'it' | 'test' | 'describe';
  /** What stands between callee and call: `['skip']` in `it.skip(…)`. */
  readonly modifiers: readonly string[];
  readonly title: string | undefined;
}

const parsed = new Map<string, SourceFile>();

/** The project's TypeScript files under some folders, parsed. @example sourceFiles('lib', 'bin') */
export function sourceFiles(...folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) => globSync(`${folder}/**/*.ts`).toSorted().map(parseFile));
}

export const countLines = (text: string): number => text.trimEnd().split('\n').length;

function parseFile(path: string): SourceFile {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const file = { path, text, ...readSource(path, text) };
  parsed.set(path, file);
  return file;
}

function readSource(path: string, text: string): Omit<SourceFile, 'path' | 'text'> {
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const lineOf = (offset: number): number => countLines(`${text.slice(0, offset)}|`);
  const found = walk(program, lineOf);
  const reexports = module.staticExports.flatMap((statement) => statement.entries);
  const declared = [...module.staticImports, ...reexports].flatMap(({ moduleRequest }) => moduleRequest?.value ?? []);
  const ruleTags = comments.flatMap((comment) =>
    Array.from(comment.value.matchAll(/@rule\s+(\S+)/g), ([, rule = '']) => {
      const next = comment.end + (/^\s*/.exec(text.slice(comment.end))?.[0].length ?? 0);
      return { rule, line: lineOf(comment.start), declaration: found.declarations.get(next) };
    }),
  );
  return { imports: [...declared, ...found.imports], functions: found.functions, ruleTags, testCalls: found.testCalls };
}

function walk(program: ESTree.Program, lineOf: (offset: number) => number) {
  const imports: string[] = [];
  const functions: FunctionSize[] = [];
  const testCalls: TestCall[] = [];
  /** By the offset at which a declaration, as a doc comment sees it, begins. */
  const declarations = new Map<number, Declaration>();
  const groupings = new Set<number>();

  const size = (node: ESTree.Node): void => {
    // A describe() callback groups tests; its length says nothing.
    if (groupings.has(node.start)) return;
    const line = lineOf(node.start);
    functions.push({ line, lines: lineOf(node.end) - line + 1 });
  };
  const declare = (start: number, node: ESTree.Node | null): void => {
    const found = node === null ? undefined : declarationOf(node);
    if (found !== undefined) declarations.set(start, found);
  };
  const addLiteral = (node: ESTree.Node | undefined): void => {
    if (node?.type === 'Literal' && typeof node.value === 'string') imports.push(node.value);
  };

  new Visitor({
    FunctionDeclaration: (node) => {
      size(node);
      declare(node.start, node);
    },
    FunctionExpression: size,
    ArrowFunctionExpression: size,
    VariableDeclaration: (node) => declare(node.start, node),
    ClassDeclaration: (node) => declare(node.start, node),
    MethodDefinition: (node) => declare(node.start, node),
    TSMethodSignature: (node) => declare(node.start, node),
    Property: (node) => declare(node.start, node),
    ExportNamedDeclaration: (node) => declare(node.start, node.declaration),
    ExportDefaultDeclaration: (node) => declare(node.start, node.declaration),
    ImportExpression: (node) => addLiteral(node.source),
    TSImportType: (node) => addLiteral(node.source),
    NewExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'URL') addRelative(node.arguments[0], addLiteral);
    },
    CallExpression: (node) => {
      const call = testCall(node);
      if (call === undefined) return;
      testCalls.push({ ...call, line: lineOf(node.start) });
      if (call.callee === 'describe') for (const argument of node.arguments) groupings.add(argument.start);
    },
  }).visit(program);
  return { imports, functions, testCalls, declarations };
}

/** `new URL('./worker.ts', import.meta.url)` names a module; `new URL('http://…')` does not. */
function addRelative(node: ESTree.Node | undefined, add: (node: ESTree.Node | undefined) => void): void {
  if (node?.type === 'Literal' && typeof node.value === 'string' && /^\.\.?\/.*\.ts$/.test(node.value)) add(node);
}

function declarationOf(node: ESTree.Node): Declaration | undefined {
  if (node.type === 'FunctionDeclaration') return named(node.id, true);
  if (node.type === 'MethodDefinition') return named(node.key, true);
  if (node.type === 'ClassDeclaration') return named(node.id, false);
  if (node.type === 'TSMethodSignature') return named(node.key, false);
  if (node.type === 'Property') return named(node.key, isFunction(node.value));
  if (node.type !== 'VariableDeclaration') return undefined;
  const declarator = node.declarations[0];
  return named(declarator?.id, declarator?.init != null && isFunction(declarator.init));
}

const named = (node: ESTree.Node | null | undefined, isFunction: boolean): Declaration | undefined =>
  node?.type === 'Identifier' ? { name: node.name, isFunction } : undefined;

const isFunction = (node: ESTree.Node): boolean =>
  node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';

/** Sees through `it.skip`, `it.each([…])` and it.each`…` to the `it`. */
function testCall(node: ESTree.CallExpression): Omit<TestCall, 'line'> | undefined {
  const modifiers: string[] = [];
  let callee: ESTree.Node = node.callee;
  for (;;) {
    if (callee.type === 'MemberExpression') {
      if (callee.property.type === 'Identifier') modifiers.unshift(callee.property.name);
      callee = callee.object;
    } else if (callee.type === 'CallExpression') callee = callee.callee;
    else if (callee.type === 'TaggedTemplateExpression') callee = callee.tag;
    else break;
  }
  if (callee.type !== 'Identifier' || !['it', 'test', 'describe'].includes(callee.name)) return undefined;
  return { callee: callee.name as TestCall['callee'], modifiers, title: titleOf(node.arguments[0]) };
}

function titleOf(node: ESTree.Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node?.type === 'TemplateLiteral' ? node.quasis[0]?.value.raw : undefined;
}
