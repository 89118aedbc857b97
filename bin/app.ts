import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SemelStack } from '../lib/stack.ts';

const app = new App();
new SemelStack(app, 'Semel', { ephemeral: String(app.node.tryGetContext('ephemeral')) === 'true' });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
