import { HOURS_A_MONTH, PRICES } from './prices.ts';
import type { RequestUnits } from './request-units.ts';

/** US dollars a month. */
export interface MonthlyCost {
  readonly onDemand: number;
  /** Without autoscaling: what is planned for is paid for all month. */
  readonly provisioned: number;
}

const MILLION = 1e6;
const GIGABYTE = 1e9;

/** What requests of one kind cost, storage apart. */
export function requestCost(
  units: Pick<RequestUnits, 'writes' | 'reads'>,
  rates: { readonly perDay: number; readonly planned: number },
): MonthlyCost {
  const perMonth = (rates.perDay / 24) * HOURS_A_MONTH;
  const { perMillionWriteUnits, perMillionReadUnits, perWriteUnitHour, perReadUnitHour } = PRICES;
  return {
    onDemand: (perMonth / MILLION) * (units.writes * perMillionWriteUnits + units.reads * perMillionReadUnits),
    provisioned: rates.planned * HOURS_A_MONTH * (units.writes * perWriteUnitHour + units.reads * perReadUnitHour),
  };
}

/** What it costs to keep so many bytes, continuous backups included. */
export const storageCost = (bytes: number): number =>
  (bytes / GIGABYTE) * (PRICES.perGigabyte + PRICES.perGigabyteBackup);
