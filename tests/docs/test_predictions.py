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
SET_UPS = '''16 x 16 matrix with 40 entries on 1 rank: seconds of a product
method                    1 GPU    2 GPUs    4 GPUs    8 GPUs  best +- %    host core  host up to    set-up        MB   measured  first set-up  new values
fusedcg_ip                 10.4      21.6      23.0      22.9     1    7         78.4         613      22.8       0.7       10.0        1250.0        25.0
fusedbcgs_gridmg           54.2      80.4      66.8      66.8     1    9        157.6        1410      65.7       0.7    refused       refused     refused
dpcg_icc                   50.4         -         -         -     1    8            -           -         -       1.1       50.0        3000.0       300.0
'''
SET_UPS_OF_TWO = '''16 x 16 matrix with 40 entries on 2 ranks: seconds of a product
method                    1 GPU    2 GPUs  best +- %    host core  host up to    set-up        MB   measured  first set-up  new values
fusedcg_ip                 10.4      21.6     1    7         78.4         613      22.8       0.7       20.0        2250.0        45.0
'''


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs = []
        for name, text in (('measured', MEASURED), ('predicted', PREDICTED), ('set-ups', SET_UPS), ('set-ups-of-two', SET_UPS_OF_TWO)):
            (Path(folder) / name).mkdir()
            logs.append(str(Path(folder) / name / 'matrix.log'))
            Path(logs[-1]).write_text(text)
        found = predictions.merged(logs)
    cases = [(c['what'], c.get('ordered', False), c.get('predicted_us'), c.get('measured_us')) for c in found]
    expected = [('iteration, dpcg_icc', False, 50.4, 50.0), ('iteration, fusedbcgs_gridmg', False, 54.2, None), ('iteration, fusedcg_icc', False, 126.6, 110.0), ('iteration, fusedcg_ip', False, 10.4, 10.0), ('iteration, fusedcg_ip, 2 GPUs', False, 21.6, 20.0),
                ('iteration, fusedcg_jacobi', False, 15.9, None), ('iteration, fusedcg_none', False, 14.0, 14.4),
                ('product, aij', False, 9.0, 8.88), ('product, brow', False, 5.84, None), ('product, brow', True, 5.84, 6.0),
                ('set-up, dpcg_icc', False, None, 300.0), ('set-up, fusedbcgs_gridmg', False, 65.7, None), ('set-up, fusedcg_ip', False, 22.8, 25.0)]
    if cases != expected:
        sys.exit(f'test_predictions.py: {cases}, expected {expected}')
    written = predictions.tables({'cases': found, 'throughputs': {}})
    for table, line in (('SET-UPS', '| dpcg_icc | 1 | 3, 3, 3 | 0.3, 0.3, 0.3 | 10.0 |'), ('SET-UPS', '| fusedcg_ip | 1 | 1.25, 1.25, 1.25 | 0.025, 0.025, 0.025 | 50.0 |'),
                        ('ERRORS', '| *all set-ups for new values, 1 GPU* | 1 | 0.088 | 0.000 | 0.09, matrix | 0.088, 0.09 |  |')):
        if line not in written[table].splitlines():
            sys.exit(f'test_predictions.py: {written[table]} has no line {line}')
    known = {'mu': 22.4, 'sigma': 1.35, 'nu': 4000.0}
    points = [(2 ** k, predictions.fitted(known, 2 ** k)) for k in range(17, 29)]
    if any(abs(number / known[name] - 1) > 1e-9 for name, number in predictions.sigmoid(points).items()):
        sys.exit(f'test_predictions.py: {predictions.sigmoid(points)}, expected {known}')
    if 'SET-UPS' in predictions.tables({'cases': [c for c in found if 'first_us' not in c], 'throughputs': {}}):
        sys.exit('test_predictions.py: a table of set-ups without one that is measured')


if __name__ == '__main__':
    main()
