import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALLOWED_IMPORTS } from './allowed-imports.ts';
import { type SourceFile, sourceFiles } from './source-tree.ts';

const files = sourceFiles('lib', 'functions', 'bin');

/** `lib/http/endpoint.ts` → `http`, `lib/stack.ts` → `stack`, `bin/app.ts` → `bin`. */
function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'lib' ? second.replace(/\.ts$/, '') : top;
}

const isRelative = (specifier: string): boolean => specifier.startsWith('.');
const resolveFrom = (file: SourceFile, specifier: string): string => normalize(join(dirname(file.path), specifier));

function forbiddenImports(file: SourceFile): string[] {
  const room = roomOf(file.path);
  const allowed = ALLOWED_IMPORTS[room];
  if (allowed === undefined) return [`${file.path}: the room "${room}" is not in the table of allowed imports`];
  return file.imports.flatMap((specifier) => {
    if (isRelative(specifier)) {
      const target = roomOf(resolveFrom(file, specifier));
      return target === room || allowed.rooms.includes(target) ? [] : [`${file.path} (${room}) imports ${specifier}`];
    }
    const fits = allowed.packages.some((entry) =>
      entry instanceof RegExp ? entry.test(specifier) : entry === specifier,
    );
    return fits ? [] : [`${file.path} (${room}) imports ${specifier}`];
  });
}

/** The first circle met, as the list of its files; empty when there is none. */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of graph.get(path) ?? []) {
      const circle = visit(next, [...trail, path]);
      if (circle.length > 0) return circle;
    }
    done.add(path);
    return [];
  };
  for (const path of graph.keys()) {
    const circle = visit(path, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

describe('imports', () => {
  it('follow the table of allowed edges', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(forbiddenImports)).toEqual([]);
  });

  it('form no circle, type imports included', () => {
    const graph = new Map(
      files.map((file) => [
        file.path,
        file.imports.filter(isRelative).map((specifier) => resolveFrom(file, specifier)),
      ]),
    );
    expect(findCircle(graph)).toEqual([]);
  });

  it('name existing files by their full name', () => {
    const broken = [...files, ...sourceFiles('test')].flatMap((file) =>
      file.imports
        .filter(isRelative)
        .filter((specifier) => !existsSync(resolveFrom(file, specifier)))
        .map((specifier) => `${file.path} imports ${specifier}, which does not exist`),
    );
    expect(broken).toEqual([]);
  });
});

describe('findCircle', () => {
  it('finds a circle of two behind a straight path', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(findCircle(graph)).toEqual(['b', 'c', 'b']);
  });
});
