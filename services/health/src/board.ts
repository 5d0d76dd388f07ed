import type { Report } from './report.ts';

/** The report as a page that is readable without scripts; it asks for itself again every two seconds. */
export function boardPage(report: Report): string {
  const rows = report.parts
    .map((part) => {
      const checks = part.checks
        .map(
          (check) =>
            `<li class="${check.ok ? 'ok' : check.required ? 'failing' : 'degraded'}">${escapeHtml(check.name)}${check.ok ? '' : `: ${escapeHtml(check.message)}`}</li>`,
        )
        .join('');
      return `<tr><th scope="row">${escapeHtml(part.part)}</th><td>${escapeHtml(part.instance)}</td><td class="${part.state}">${part.state}</td><td>${part.revision}</td><td><ul>${checks}</ul></td></tr>`;
    })
    .join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width">
<title>Tidegate: ${report.state}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 60rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .8rem; border-bottom: 1px solid #ddd; vertical-align: top; }
ul { margin: 0; padding-left: 1rem; }
.ok { color: #0a6b2d; } .degraded, .stopping { color: #8a5a00; } .failing, .unreachable { color: #b00020; }
</style>
<h1>Tidegate is <span class="${report.state}">${report.state}</span></h1>
<table>
<thead><tr><th>Part</th><th>Replica</th><th>State</th><th>Revision</th><th>Checks</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>
<p>At ${report.at}. The same as data: <a href="/report.json">report.json</a></p>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
