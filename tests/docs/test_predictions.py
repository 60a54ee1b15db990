#!/usr/bin/env python3
"""scripts/predictions.py reads logs of advise, and later numbers replace earlier ones."""
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts'))
import predictions

MEASURED = '''16 x 16 matrix with 40 entries on 1 rank: seconds of a product
type    bs           bytes    fill        host    measured      device  +- %    measured
aij      -         4297652    1.00    4.48e-04    4.48e-04    9.31e-06     6    8.88e-06
bdia     1       187416672   65.91  does not fit: 3663 offsets
brow     1         4329776    1.00    4.51e-04    4.51e-04    5.84e-06     -     refused  density 1.00, chain of 24, 2 rows alone
brow     1         4329776    1.00    4.51e-04    4.51e-04    5.84e-06     -    6.00e-06  density 1.00, chain of 24, rows reordered
method                    1 GPU    2 GPUs    4 GPUs    8 GPUs  best +- %    host core  host up to    set-up        MB   measured  iterations  solve, ms     +-
fusedcg_none               15.8      23.1      22.6      20.9     1   13        497.8         180         -       4.7       14.4         200       3.13   0.44
fusedcg_jacobi             15.9      23.0      21.9      20.5     1   10        510.8         176         -       4.8    refused           -          -      -
fusedcg_gridmg        refuses this matrix
fusedcg_icc               126.6         -         -         -     1   20            -           -         -      16.7      110.0          94      11.95    2.39
  triangles of 187200 entries in 118 levels
'''
PREDICTED = '''16 x 16 matrix with 40 entries on 1 rank: seconds of a product
type    bs           bytes    fill        host      device  +- %
aij      -         4297652    1.00    4.48e-04    9.00e-06     6
method                    1 GPU    2 GPUs    4 GPUs    8 GPUs  best +- %    host core  host up to    set-up        MB
fusedcg_none               14.0      23.1      22.6      20.9     1   13        497.8         180         -       4.7
'''


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs = []
        for name, text in (('measured', MEASURED), ('predicted', PREDICTED)):
            (Path(folder) / name).mkdir()
            logs.append(str(Path(folder) / name / 'matrix.log'))
            Path(logs[-1]).write_text(text)
        cases = [(c['what'], c.get('ordered', False), c.get('predicted_us'), c.get('measured_us')) for c in predictions.merged(logs)]
    expected = [('iteration, fusedcg_icc', False, 126.6, 110.0), ('iteration, fusedcg_jacobi', False, 15.9, None), ('iteration, fusedcg_none', False, 14.0, 14.4),
                ('product, aij', False, 9.0, 8.88), ('product, brow', False, 5.84, None), ('product, brow', True, 5.84, 6.0)]
    if cases != expected:
        sys.exit(f'test_predictions.py: {cases}, expected {expected}')


if __name__ == '__main__':
    main()
