import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '@tidegate/local';
import { whyNoHelm } from '../support/helm.ts';
import { parseExpression } from './support/promql.ts';
import { ofKind, render } from './support/render.ts';
import { dashboard, expressions, rules } from './support/telemetry.ts';

const PAGE = 'docs/operate/telemetry.md';

describe('Dashboards and rules of the chart', { skip: whyNoHelm() ?? false }, () => {
  test('The dashboard is rendered unchanged from its file, and its panels have unique ids.', () => {
    const file = JSON.parse(readFileSync(join(projectRoot, 'charts/tidegate/dashboards/tidegate.json'), 'utf8'));
    assert.deepEqual(dashboard(), file);
    const ids = dashboard().panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const { type, title, targets = [] } of dashboard().panels)
      assert.equal(type === 'row', targets.length === 0, `every panel but a row has a query: ${title}`);
  });

  test('Grafana finds the dashboard by its label.', () => {
    const [map] = ofKind(render('minimal', 'metrics.dashboards.enabled=true'), 'ConfigMap');
    assert.equal(map.metadata.labels.grafana_dashboard, '1');
    assert.deepEqual(Object.keys(map.data), ['tidegate.json']);
  });

  test('Dashboards and rules are not rendered by default.', () => {
    const kinds = render('default').map(({ kind }) => kind);
    assert.ok(!kinds.includes('PrometheusRule') && !kinds.includes('ConfigMap'));
  });

  test('Every alert has a severity, a summary, a description and a link to its section of the documentation.', () => {
    const alerts = rules().filter(({ alert }) => alert !== undefined);
    assert.ok(alerts.length >= 12);
    const titles: readonly string[] = readFileSync(join(projectRoot, PAGE), 'utf8').match(/^### .+$/gm) ?? [];
    for (const { alert = '', labels, annotations = {} } of alerts) {
      assert.match(labels.severity ?? '', /^(critical|warning)$/, alert);
      for (const name of ['summary', 'description']) assert.match(annotations[name] ?? '', /^\S.*\.$/, alert);
      assert.equal(annotations.runbook_url, `https://docs.example.com/tidegate/${PAGE}#${alert.toLowerCase()}`);
      assert.ok(titles.includes(`### ${alert}`), `${PAGE} has a section on ${alert}`);
    }
    assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  });

  test('Without a configured base URL, runbook links contain the path of the page in the repository.', () => {
    const [made] = ofKind(render('minimal', 'metrics.rules.enabled=true'), 'PrometheusRule');
    const alert = made.spec.groups[1].rules[0];
    assert.equal(alert.annotations.runbook_url, `${PAGE}#${alert.alert.toLowerCase()}`);
  });

  test('Every expression selects only the series of this release.', () => {
    for (const { place, expr } of expressions()) {
      const { uses, unknown } = parseExpression(expr);
      assert.deepEqual(unknown, [], place);
      assert.ok(uses.length > 0, place);
      for (const { metric, labels } of uses)
        for (const label of ['job', 'namespace']) assert.ok(labels.includes(label), `${place}: ${metric} by ${label}`);
      assert.doesNotMatch(expr, /SCRAPED|RUNBOOK/, place);
    }
    const [monitored] = ofKind(render('everything'), 'Service').filter(
      ({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'metrics',
    );
    const { metadata } = monitored;
    for (const { expr } of rules())
      assert.ok(expr.includes(`job="${metadata.name}",namespace="${metadata.namespace}"`), expr);
  });

  test('Recording rules keep the labels job and namespace, and every recorded series is used.', () => {
    const recorded = rules().filter(({ record }) => record !== undefined);
    const queried = rules().flatMap(({ expr }) => parseExpression(expr).uses.map(({ metric }) => metric));
    for (const { record = '', labels } of recorded) {
      assert.deepEqual(Object.keys(labels), ['job', 'namespace']);
      assert.ok(queried.includes(record), `${record} is used`);
    }
  });
});

test('parseExpression finds metrics, labels, groups and unknown words.', () => {
  assert.deepEqual(parseExpression('sum by (le, a) (rate(m_bucket{x="}1",y=~"2"}[5m])) > 0.1 and n{z!="a"}'), {
    uses: [
      { metric: 'm_bucket', labels: ['x', 'y'] },
      { metric: 'n', labels: ['z'] },
    ],
    groups: ['le', 'a'],
    unknown: [],
  });
  assert.deepEqual(parseExpression('rate(other[5m])').unknown, ['other', 'm']);
});
