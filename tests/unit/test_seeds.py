from contrapose.seeds import derived_seed, generator


def test_a_seed_depends_on_its_parts_and_their_order_alone():
    # The first 8 bytes of the SHA-256 of ["corpus",1,0], by the command line tool.
    assert derived_seed("corpus", 1, 0) == 1295292590940557497
    assert derived_seed("corpus", 0, 1) != derived_seed("corpus", 1, 0)
    assert derived_seed("a", "b") != derived_seed("ab")


def test_a_generator_gives_the_same_numbers_every_time():
    first, second = (generator("x", 1).integers(1000, size=3).tolist() for _ in range(2))
    assert first == second
