import { useEffect, useState } from 'react';
import type { OperationKind } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { useServices } from '../data/services.ts';

/** The operations that the host allows; none until the answer arrives. */
export function useOperations(): readonly OperationKind[] {
  const { bridge } = useServices();
  const [allowed, setAllowed] = useState<readonly OperationKind[]>([]);
  useEffect(() => {
    void answered(bridge.info()).then((answer) => answer.ok && setAllowed(answer.value.operations));
  }, [bridge]);
  return allowed;
}
