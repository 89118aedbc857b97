import { readFileSync } from 'node:fs';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { SemelStack } from '../../lib/stack.ts';
import { template } from '../stack/synthesized-stack.ts';
import { statements, unbundledApp } from './synthesize.ts';

interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly AlarmActions: unknown;
  readonly TreatMissingData: string;
  readonly MetricName?: string;
}

const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties as AlarmProperties,
);
const topics = Object.keys(template.findResources('AWS::SNS::Topic'));

describe('alarms', () => {
  it('R38 each link a section of the runbook with symptom, look and act', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const sections = new Map(
      runbook.split(/^## /m).map((section) => [section.split('\n')[0]?.toLowerCase().replaceAll(' ', '-'), section]),
    );
    expect(alarms.length).toBeGreaterThanOrEqual(10);
    for (const { AlarmDescription } of alarms) {
      const [, anchor] = /docs\/runbook\.md#(\S+)$/.exec(AlarmDescription) ?? [];
      for (const part of ['**Symptom**', '**Look**', '**Act**']) expect(sections.get(anchor), anchor).toContain(part);
    }
  });

  it('tell one topic, when they ring and when they stop', () => {
    expect(topics).toHaveLength(1);
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: topics[0] }],
      OKActions: [{ Ref: topics[0] }],
    });
  });

  it('R38 take the silence of the reconciler for its death, and no other silence', () => {
    const breaching = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(breaching.map(({ MetricName }) => MetricName)).toEqual(['unfinished-oldest-age']);
  });

  it("watch every queue's age and dead letters, and the relay", () => {
    const queues = Object.entries(template.findResources('AWS::SQS::Queue'));
    const sources = queues.filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined);
    expect(sources.length).toBeGreaterThan(0);
    for (const [queue, { Properties }] of sources) {
      const [dead] = Properties.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'];
      for (const [MetricName, name] of [
        ['ApproximateAgeOfOldestMessage', queue],
        ['ApproximateNumberOfMessagesVisible', dead],
      ]) {
        template.hasResourceProperties('AWS::CloudWatch::Alarm', {
          ...{ MetricName, Namespace: 'AWS/SQS' },
          Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [name, 'QueueName'] } }],
        });
      }
    }
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'IteratorAge', Threshold: 300_000 });
  });

  it.each(['reconciled-failed', 'unsent-event'])('R38 ring at any %s', (MetricName) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName, Namespace: 'Semel', Threshold: 0 });
  });
});

describe('the topic', () => {
  it('asks for TLS and takes messages from CloudWatch of this account', () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
    template.hasOutput('AlarmTopicArn', { Value: { Ref: topics[0] } });
  });
});

describe('the dashboard', () => {
  it('shows the alarms first, and operations by name', () => {
    const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    const kinds = [...body.matchAll(/type\W+(alarm|metric)\b/g)].map(([, kind]) => kind);
    expect(kinds[0]).toBe('alarm');
    expect(kinds.filter((kind) => kind === 'metric').length).toBeGreaterThanOrEqual(10);
    expect(body).toContain('SEARCH(');
  });
});

describe('tracing', () => {
  const traced = Template.fromStack(new SemelStack(unbundledApp(), 'Semel', { tracing: true }));

  it('is off unless asked for', () => {
    template.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: Match.absent() });
    expect(JSON.stringify(statements(template))).not.toContain('xray:');
  });

  it('is switched for every function at once, by a property or by the context', () => {
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
    const app = unbundledApp();
    app.node.setContext('semel:tracing', 'true');
    const byContext = Template.fromStack(new SemelStack(app, 'Semel'));
    byContext.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
  });
});
