"""Which of PETSc's tutorials run with which types, and what is left out"""


def ways(option):
    return {'bdia': f'{option} bdia', 'seqaijbdia': '-mat_seqaij_type seqaijbdia'}


# name: source, {way: options}
TUTORIALS = {
    'ex2': ('ksp/ksp/tutorials/ex2.c', ways('-mat_type')),
    'ex10': ('ksp/ksp/tutorials/ex10.c', ways('-mat_type')),
    'ex23': ('ksp/ksp/tutorials/ex23.c', ways('-mat_type')),
    'ex29': ('ksp/ksp/tutorials/ex29.c', ways('-dm_mat_type')),
    'ex32': ('ksp/ksp/tutorials/ex32.c', ways('-dm_mat_type')),
    'ex34': ('ksp/ksp/tutorials/ex34.c', ways('-dm_mat_type')),
    'ex45': ('ksp/ksp/tutorials/ex45.c', ways('-dm_mat_type')),
    'ex46': ('ksp/ksp/tutorials/ex46.c', ways('-dm_mat_type')),
    'ex50': ('ksp/ksp/tutorials/ex50.c', ways('-dm_mat_type')),
    'bench_kspsolve': ('ksp/ksp/tutorials/bench_kspsolve.c', ways('-mat_type')),
    'snes-ex5': ('snes/tutorials/ex5.c', ways('-dm_mat_type')),
    'snes-ex19': ('snes/tutorials/ex19.c', ways('-dm_mat_type')),
    'ts-ex13': ('ts/tutorials/ex13.c', ways('-mat_type')),
    'ex56': ('ksp/ksp/tutorials/ex56.c', {}),
    'snes-ex12': ('snes/tutorials/ex12.c', {}),
    'snes-ex17': ('snes/tutorials/ex17.c', {}),
    'snes-ex56': ('snes/tutorials/ex56.c', {}),
    'ts-ex45': ('ts/tutorials/ex45.c', {}),
}

# (tutorial, test) or (way, test): why it is left out
LEFT_OUT = {
    ('ex2', 'ex2_help'): "prints PETSc's list of options and types, to which a plugin adds its own",
    ('ex32', 'ex32_3'): 'slow; ex32_4 is the same on a coarser grid',
    ('snes-ex19', 'ex19_failure_size'): 'stops before a matrix is made',
    ('snes-ex19', 'ex19_tut_1'): 'slow; ex19_tut_2 solves the same system',
    ('snes-ex19', 'ex19_tut_6'): 'slow; ex19_tut_2 solves the same system',
    ('snes-ex19', 'ex19_tut_7'): 'slow; ex19_tut_2 solves the same system',
    ('bdia', 'ex19_greedy_coloring'): "PETSc's greedy coloring reads the arrays of MATAIJ",
    ('bdia', 'ex19_composite_gs_newton'): 'recorded with the inodes of MATAIJ: with -mat_no_inode that takes 8 iterations as bdia does, not 7',
}
NO_MATRIX = {
    'snes-ex5': 'ex5_5_anderson ex5_5_broyden ex5_5_ncg ex5_5_ngmres ex5_5_ngmres_ngs ex5_5_ngmres_nrichardson ex5_5_nrichardson ex5_5_qn',
    'snes-ex19': 'ex19_ngs ex19_ngs_fd',
}
LEFT_OUT.update({(tutorial, name): 'makes no matrix' for tutorial, names in NO_MATRIX.items() for name in names.split()})

# Tutorials whose recorded output needs files or packages that a PETSc as it is delivered lacks: (ranks, arguments), run with
# MATAIJ first
COMPARED = {
    'ex10': [
        (1, '-f $MATRICES/spd-real-int32-float64 -ksp_monitor -ksp_type cg -pc_type {{jacobi sor icc cholesky}}'),
        (1, '-f $MATRICES/ns-real-int32-float64 -ksp_monitor -ksp_type {{gmres bicg bcgs}} -pc_type {{ilu jacobi}}'),
        (1, '-f $MATRICES/ns-real-int32-float64 -ksp_monitor -ksp_type bicg -permute rcm'),
        (3, '-f $MATRICES/ns-real-int32-float64 -ksp_monitor -ksp_type gmres -pc_type {{bjacobi asm}}'),
        (2, '-f $MATRICES/spd-real-int32-float64 -ksp_monitor -trans -ksp_type gmres -pc_type jacobi'),
    ],
    'ex46': [
        (1, '-random_exact_sol -ksp_monitor -pc_type {{ilu jacobi sor}}'),
        (3, '-random_exact_sol -ksp_monitor -pc_type {{bjacobi jacobi}}'),
    ],
}

# Finite elements, for PC aggmg with about the iterations of PCGAMG in the same run, on one and two ranks: arguments
CUBE = '-dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_lower 0,0,0 -dm_plex_box_upper 1,1,1 -dm_plex_box_faces 4,4,4'
MULTIGRID = {
    'ex56': '-ne 11 -alpha 1e-3 -two_solves -use_mat_nearnullspace {{0 1}}',
    'snes-ex12': '-run_type full -bc_type dirichlet -dm_plex_simplex 0 -dm_plex_box_faces 32,32 -petscspace_degree {{1 2}}',
    'snes-ex17': '-sol_type elas_quad -dm_plex_simplex 0 -displacement_petscspace_degree 2 -dm_refine 4',
    'snes-ex56': f'{CUBE} -petscspace_degree 2 -snes_max_it 1 -max_conv_its 1 -run_type 1',
    'ts-ex45': '-sol_type quadratic_linear -dm_plex_simplex 0 -dm_refine 5 -temp_petscspace_degree 1 -ts_type beuler -ts_max_steps 3 -ts_time_step 0.1',
}

# Tests whose real numbers are not compared: in aspin differences of rounding grow to visible ones; PCEXOTIC on several ranks
# gives one of four sets of residuals from run to run, with PETSc's own aij as well
SENSITIVE = {'ex19_aspin', 'ex5_5_aspin', 'ex45_1'}
