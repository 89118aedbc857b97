#!/usr/bin/env node
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  console.error(
    `Semel runs on Node 24 or newer; this is ${process.version}. In a checkout, "npm run -s semel" brings its own.`,
  );
  process.exit(1);
}
// After the check: older versions do not understand what these modules are written in.
const { runCommandLine } = await import('../lib/cli/command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), { print: console.log, explain: console.error });
