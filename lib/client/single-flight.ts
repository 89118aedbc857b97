/**
 * Starts some work, or takes part in what runs under the same name already.
 *
 * @example
 * const flights = new Map<string, Promise<Key>>();
 * singleFlight(flights, 'order-8421', makeKey) === singleFlight(flights, 'order-8421', makeKey) // true
 */
export function singleFlight<T>(flights: Map<string, Promise<T>>, name: string, start: () => Promise<T>): Promise<T> {
  const flight = flights.get(name) ?? start().finally(() => flights.delete(name));
  flights.set(name, flight);
  return flight;
}
